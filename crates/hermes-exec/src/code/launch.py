# Runs a script whose project is found last: a file of the project that is called like a module of the
# standard library, or like what an interpreter loads by itself when it starts, is nobody's business.
import sys

__file__ = sys.argv[1]
sys.path.extend(sys.argv[2:])
sys.argv = [__file__]


def _without_this_file(kind, problem, trace):
    sys.__excepthook__(kind, problem.with_traceback(trace and trace.tb_next), trace and trace.tb_next)


sys.excepthook = _without_this_file
del _without_this_file
with open(__file__, "rb") as _script:
    _script = compile(_script.read(), __file__, "exec", dont_inherit=True)
exec(_script)
