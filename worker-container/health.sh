#!/bin/bash
# Succeeds while the worker's process is there and neither stopped nor a zombie. (When it ends, the container does.)
set -euo pipefail
for process in /proc/[0-9]*; do
  mapfile -d '' -t command < "$process/cmdline" || continue
  [[ ${command[0]:-} == *node && " ${command[*]:1} " == *"/worker-container/main.mjs "* ]] || continue
  grep -Eq '^State:[[:space:]]+[RSD]' "$process/status" && exit 0
done 2> /dev/null
exit 1
