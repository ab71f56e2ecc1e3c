#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of scripts/packages.txt (or of the list that is named) that are missing. Does nothing when
# all are there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

missing=()
while read -r package; do
  case "$package" in ''|'#'*) continue ;; esac
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done < "$here/${1:-packages.txt}"
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install: these packages are missing, and there is no sudo to install them with: ${missing[*]}" >&2
    echo "install: run as root: apt-get install ${missing[*]}" >&2
    exit 3
  fi
  sudo=(sudo)
fi
echo "install: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
if ! "${sudo[@]}" apt-get update -qq >&2 ||
   ! "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2; then
  echo "install: could not fetch the packages above. Is there a network, and does apt-get know a Debian 12 mirror?" >&2
  exit 3
fi
