local entry front= back= met=
    for entry in @CALLER@; do
        case :$PATH: in
        *":$entry:"*) met=1 ;;
        *) if [[ -z $met ]]; then front+=$entry:; else back+=:$entry; fi ;;
        esac
    done
    builtin export PATH="$front$PATH$back"
