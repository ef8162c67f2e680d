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

fit() {
    "$1" -c 'import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}

unset PYTHONPATH PYTHONHOME
if ! complete; then
    base=
    for candidate in python3 python3.13 python3.12 python3.11 "$python"; do
        if command -v "$candidate" >/dev/null && fit "$candidate"; then
            base=$candidate
            break
        fi
    done
    if [ -z "$base" ]; then
        echo "Python 3.11, 3.12 or 3.13 with its venv module is needed; python3 here is $(python3 --version 2>&1 || echo missing)." >&2
        echo "On Debian and Ubuntu: apt install python3 python3-venv" >&2
        exit 1
    fi
    "$base" "$root/ops/setup.py" "$setup" "${starts:-other}" "$@" || exit 1
fi

# Our modules come from the project, whatever directory we are called from and whatever lies there.
PYTHONPATH=$root PYTHONSAFEPATH=1
export PYTHONPATH PYTHONSAFEPATH
