# Sourced by every command in bin/: finds the project and a fit Python, and sets `.venv` up when that is needed.
# Sets root and python. `setup=dev` beforehand installs what tests and checks need, too; `starts=up` has the port looked at
# before anything is installed.

root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv
python=$venv/bin/python
setup=${setup:-run}

# The usual case costs no Python of its own: .venv was found complete after the lock files were written.
complete() {
    locked=$root/requirements.txt
    [ "$setup" = dev ] && locked=$root/requirements-dev.txt
    [ -x "$python" ] && [ ! -e "$venv/unfinished" ] && [ "$venv/complete-$setup" -nt "$locked" ] &&
        [ "$venv/complete-$setup" -nt "$root/requirements-build.txt" ]
}

unset PYTHONPATH PYTHONHOME
if ! complete; then
    . "$root/ops/pythons.sh"
    base=
    newer=
    named=
    for version in $tested; do
        named="python$version $named"
    done
    for candidate in python3 $named "$python"; do
        command -v "$candidate" >/dev/null || continue
        case $(fitness "$candidate") in
        tested)
            base=$candidate
            break
            ;;
        newer) newer=${newer:-$candidate} ;;
        esac
    done
    if [ -z "$base$newer" ]; then
        found=missing
        if command -v python3 >/dev/null; then
            found=$(python3 --version 2>&1)
            python3 -c "import ensurepip, venv" 2>/dev/null || found="$found without its venv module"
        fi
        echo "Python $oldest or newer with its venv module is needed ($oldest to $newest are tested); python3 here is $found." >&2
        echo "On Debian and Ubuntu: apt install python3 python3-venv" >&2
        exit 1
    fi
    untested=
    if [ -z "$base" ]; then
        base=$newer
        untested="$("$base" --version) is newer than $newest, the newest version that is tested"
        echo "$untested. It is tried." >&2
    fi
    "$base" "$root/ops/setup.py" "$setup" "${starts:-other}" "$@" || {
        [ -z "$untested" ] || echo "$untested. A Python from $oldest to $newest beside it is used when it is installed." >&2
        exit 1
    }
fi

# Our modules come from the project, whatever directory we are called from and whatever lies there.
PYTHONPATH=$root PYTHONSAFEPATH=1
export PYTHONPATH PYTHONSAFEPATH
