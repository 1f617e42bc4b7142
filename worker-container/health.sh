#!/bin/bash
# Succeeds while the worker's process exists and is neither stopped nor a zombie. When it ends, so does the container.
set -euo pipefail
# Processes of jobs run as other users. They can take any name, and reading their memory can block the reader.
is_own() {
  local line lines
  mapfile -t lines < "$1/status" || return 1
  for line in "${lines[@]}"; do [[ $line == Uid:$'\t'"$EUID"$'\t'* ]] && return 0; done
  return 1
}
for process in /proc/[0-9]*; do
  is_own "$process" || continue
  mapfile -d '' -t command < "$process/cmdline" || continue
  [[ ${command[0]:-} == *node && " ${command[*]:1} " == *"/worker-container/main.mjs "* ]] || continue
  grep -Eq '^State:[[:space:]]+[RSD]' "$process/status" && exit 0
done 2> /dev/null
exit 1
