#!/bin/sh
# The image in the walk-through has the packages of the libraries that the programs are linked with, and no others:
#   image_packages_test.sh DOCUMENT PROGRAM...
# Exit code 77 (skipped) where packages are not those of Debian 12.
set -eu
document=$1
shift
grep -qs '^VERSION_CODENAME=bookworm$' /etc/os-release || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Of what apt-get installs, after its last option.
sed -n '/^RUN apt-get/,/rm -rf/p' "$document" | tr -d '\\\n' |
  sed 's/.*--no-install-recommends//; s/&&.*//' | tr -s ' ' '\n' | sed '/^$/d' | sort >"$folder/listed"

echo ca-certificates >"$folder/needed"
ldd "$@" | awk '$2 == "=>" {print $1, $3}' | sort -u -k 1,1 >"$folder/paths"
for library in $(objdump -p "$@" | awk '$1 == "NEEDED" {print $2}' | sort -u); do
  path=$(awk -v name="$library" '$1 == name {print $2}' "$folder/paths")
  [ -n "$path" ] || continue # the dynamic linker
  package=$(dpkg -S "$path" 2>/dev/null || dpkg -S "/usr$path")
  case ${package%%:*} in
    libc6 | libgcc-s1 | libstdc++6) ;; # debian:12-slim has them
    *) echo "${package%%:*}" >>"$folder/needed" ;;
  esac
done
sort -u -o "$folder/needed" "$folder/needed"
diff -u "$folder/listed" "$folder/needed"
