# Sourced with `root` set: reads the versions of Python that the tests run with from the classifiers in pyproject.toml.
# Sets tested, the versions from the oldest to the newest, and oldest and newest.

tested=
while read -r line; do
    case $line in
    '"Programming Language :: Python :: 3.'*)
        line=${line%\"*}
        tested="${tested:+$tested }${line##* }"
        ;;
    esac
done <"$root/pyproject.toml"
oldest=${tested%% *}
newest=${tested##* }

# Prints tested, newer or older for a program; nothing where it has no venv module.
fitness() {
    "$1" -c 'import sys, ensurepip, venv
tested = [tuple(map(int, each.split("."))) for each in sys.argv[1:]]
here = sys.version_info[:2]
print("tested" if here in tested else "newer" if here > max(tested) else "older")' $tested 2>/dev/null
}
