{
    @EVERYTHING@
    builtin cd -P .;
    local here=;
    [[ $PWD == "$__hermes_from" ]] || here=${PWD//\\/\\\\};
    builtin printf '#cwd %s\n#end\n' "${here//$'\n'/\\n}";
}
