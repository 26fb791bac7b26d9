# shellcheck shell=bash
# Sourced by scripts/install: which system groups it makes, so that it takes away those and no other.
#
# Others may have made a group of the same name before (Raspberry Pi OS has gpio and spi), or have come to use ours.

groups_to_make() { # SYSUSERS: the groups it names that are not there yet, one a line
    local group
    while read -r group; do
        getent group "$group" >/dev/null || echo "$group"
    done < <(sed -n 's/^g \([^ ]*\).*/\1/p' "$1")
}

remove_groups() { # LIST: those of its groups that nobody has come to use; says which stay
    [ -e "$1" ] || return 0
    local group entry
    while read -r group; do
        entry=$(getent group "$group") || continue
        if [ -z "${entry##*:}" ] && groupdel "$group" 2>/dev/null; then
            continue
        fi
        say "the group $group stays: somebody is in it"
    done <"$1"
}
