#!/bin/sh
# The ways to a remote: ssh against a server of our own, https against git http-backend behind a web
# server, and a path. What goes wrong on the way is one sentence; the store works all the time, and
# the next sync that gets through gives what was waiting.
#
#	tests/sync/transport.sh
#
# Ways whose programs are missing are left out, by name.
set -eu
. "${srcdir:-.}/tests/sync/machines.sh"
unset GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_SSL_NO_VERIFY GIT_ASKPASS SSH_ASKPASS SSH_AUTH_SOCK GIT_SSH GIT_SSH_COMMAND
no_proxy='*'
export no_proxy
left_out=
servers=
end() {
	for server in $servers; do
		kill "$server" 2>/dev/null || :
	done
	rm -rf "$dir"
}
trap end EXIT

# told STATUS WORDS WHAT WORDS_OF_SYNC...: sync on a ends so, with one sentence, and the store works.
number=0
told() {
	wanted=$1
	words=$2
	what=$3
	shift 3
	number=$((number + 1))
	checks=$((checks + 1))
	status=0
	m a sync "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	[ $status = "$wanted" ] || fail "$what: status $status, not $wanted: $(cat "$dir/said")"
	[ "$(wc -l <"$dir/said")" = 1 ] || fail "$what: more than a sentence: $(cat "$dir/said")"
	says "$dir/said" "$words" "$what"
	m a set "after$number" "said after $what" --category state >"$dir/said" 2>&1 ||
		fail "$what: the store does not work: $(cat "$dir/said")"
	[ ! -e "$dir/a/store/.sync" ] || fail "$what: .sync is left"
	m a sync --status >"$dir/said"
	says "$dir/said" "last try: " "$what: status"
}

# begin: two machines without a remote, and an empty hub.
begin() {
	new a b
	new_hub
	number=0
	m a set editor nano --category preferences >/dev/null 2>&1
}

# through URL: now it goes; what was waiting arrives on b, and what b says on a.
through() {
	m a sync --remote "$1" >"$dir/said" 2>&1 </dev/null || fail "$1: $(cat "$dir/said")"
	m b sync --remote "$1" >"$dir/said" 2>&1 </dev/null || fail "$1: $(cat "$dir/said")"
	i=0
	while [ $i -lt $number ]; do
		i=$((i + 1))
		m b get "state:after$i" >/dev/null || fail "$1: what was said after failure $i has not come"
	done
	m b set pet "a cat" --category patterns >/dev/null 2>&1
	m b sync >/dev/null </dev/null || fail "$1: b"
	m a set tea green --category preferences >/dev/null 2>&1
	m a sync >/dev/null </dev/null || fail "$1: a"
	m b sync >/dev/null </dev/null || fail "$1: b again"
	same a b "$1"
	value a patterns:pet "a cat" "$1"
	value b preferences:tea green "$1"
}

# ---- ssh
by_ssh() {
	keys=$dir/keys
	mkdir -m 700 "$keys"
	for key in host ada eve; do
		ssh-keygen -q -t ed25519 -N '' -f "$keys/$key"
	done
	cp "$keys/ada.pub" "$keys/authorized"
	mkfifo "$keys/log"
	exec 9<>"$keys/log"
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
	# The port is free if the server gets it; else another one is tried.
	line=
	tries=0
	while [ "${line#Server listening}" = "$line" ]; do
		port=$((20000 + ($$ + tries * 977) % 20000))
		printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $keys/host" "PidFile none" \
			"AuthorizedKeysFile $keys/authorized" "StrictModes no" "UsePAM no" "PasswordAuthentication no" \
			"KbdInteractiveAuthentication no" "PermitRootLogin yes" "PrintMotd no" >"$keys/sshd_config"
		"$sshd" -D -e -f "$keys/sshd_config" 2>&9 &
		server=$!
		line=$(timeout 60 grep -m 1 -E "^Server listening|^Cannot bind|atal|rror" <&9 || :)
		tries=$((tries + 1))
		[ $tries -lt 9 ] || {
			left_out="$left_out ssh (the server does not start: $line)"
			return
		}
	done
	servers="$servers $server"
	printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 "$keys/host.pub")" >"$keys/known"
	ssh_as() {
		printf '%s\n' "Host hub 127.0.0.1" "HostName 127.0.0.1" "Port $port" "User $(id -un)" \
			"IdentityFile $keys/$1" "IdentitiesOnly yes" "UserKnownHostsFile $keys/$2" \
			"GlobalKnownHostsFile /dev/null" "StrictHostKeyChecking yes" "BatchMode yes" >"$keys/config"
	}
	GIT_SSH_COMMAND="ssh -F $keys/config"
	export GIT_SSH_COMMAND
	: >"$keys/nobody"
	begin
	ssh_as ada nobody
	told 69 "Host key verification failed" "a host that is not known" --remote "ssh://127.0.0.1:$port$hub"
	ssh_as eve known
	told 69 "Permission denied" "a key that is not known"
	ssh_as ada known
	told 69 "does not appear to be a git repository" "no repository there" --remote "ssh://127.0.0.1:$port$dir/nowhere"
	through "ssh://127.0.0.1:$port$hub"
	through "hub:$hub"
	m a sync --remote "ssh://127.0.0.1:$port$hub" >/dev/null
	kill -STOP "$server"
	told 69 "no answer within" "an ssh server that hangs" --limit 2
	kill -CONT "$server"
	kill "$server"
	wait "$server" 2>/dev/null || :
	told 69 "Connection refused" "an ssh server that is gone"
	unset GIT_SSH_COMMAND
}

# ---- https
by_https() {
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$dir/key.pem" -out "$dir/cert.pem" >"$dir/said" 2>&1 || {
		left_out="$left_out https (openssl makes no certificate)"
		return
	}
	cat "$dir/key.pem" "$dir/cert.pem" >"$dir/both.pem"
	mkfifo "$dir/port"
	python3 "${srcdir:-.}/tests/sync/web.py" "$dir" "$dir/both.pem" ada:word "$dir/port" 2>"$dir/web" &
	servers="$servers $!"
	web=https://127.0.0.1:$(timeout 60 head -n 1 "$dir/port")
	begin
	git -C "$hub" config http.receivepack true
	for machine in a b; do
		git config -f "$dir/$machine/.gitconfig" credential.helper "store --file=$dir/$machine/login"
		echo "https://ada:word@${web#https://}" >"$dir/$machine/login"
	done
	told 69 "certificate" "a certificate that nobody vouches for" --remote "$web/hub.git"
	for machine in a b; do
		git config -f "$dir/$machine/.gitconfig" http.sslCAInfo "$dir/cert.pem"
	done
	echo "https://ada:wrong@${web#https://}" >"$dir/a/login"
	told 69 "could not read Username\|Authentication failed" "a wrong password"
	! grep -rq wrong "$dir/a/state" || fail "the password is in the state folder"
	rm -f "$dir/a/login"
	told 69 "could not read Username" "no password, and nobody to ask"
	echo "https://ada:word@${web#https://}" >"$dir/a/login"
	told 69 "not found" "no repository at the address" --remote "$web/nowhere.git"
	told 69 "no answer within" "a web server that hangs" --remote "$web/hang/hub.git" --limit 2
	told 69 "git: \|refuses" "a web server whose disk is full" --remote "$web/full/hub.git"
	[ -z "$(git -C "$hub" for-each-ref)" ] || fail "a full disk: a branch is there"
	through "$web/hub.git"
}

# ---- a path
by_path() {
	begin
	mkdir "$dir/no"
	told 69 "does not appear to be a git repository" "a folder that is no repository" --remote "$dir/no"
	through "$hub"
	m a sync --remote "file://$hub" >"$dir/said" 2>&1 || fail "file://: $(cat "$dir/said")"
	mv "$hub" "$dir/away"
	told 69 "cannot be reached" "a path that is gone"
	mv "$dir/away" "$hub"
	through "$hub"
}

# A disk with so little room that git's own words come from the middle of a push.
by_full_disk() {
	begin
	for i in 1 2 3 4 5 6 7 8; do
		seq $i 200 | sha512sum | cut -c1-120 | m a set "long$i" - --category shortcuts >/dev/null 2>&1
	done
	mkdir "$dir/disk"
	if ! unshare -rm sh -c 'mount -t tmpfs -o size=48k none "$1"' sh "$dir/disk" 2>/dev/null; then
		left_out="$left_out a full disk (no name space for mounts)"
		return
	fi
	status=0
	HOME=$dir/a XDG_STATE_HOME=$dir/a/state unshare -rm sh -c 'mount -t tmpfs -o size=48k none "$1/disk" &&
		cp -r "$1/hub.git" "$1/disk/" 2>/dev/null; dd if=/dev/zero of="$1/disk/rest" 2>/dev/null
		exec "$2" --dir "$1/a/store" sync --remote "$1/disk/hub.git"' sh "$dir" "$kota" >"$dir/said" 2>&1 || status=$?
	checks=$((checks + 1))
	[ $status = 69 ] || fail "a full disk: status $status: $(cat "$dir/said")"
	[ "$(wc -l <"$dir/said")" = 1 ] || fail "a full disk: more than a sentence: $(cat "$dir/said")"
	says "$dir/said" "cannot be reached: git: \|refuses" "a full disk"
	m a set after "a full disk" --category state >/dev/null || fail "a full disk: the store does not work"
	number=0
	through "$hub"
}

if sshd=$(command -v sshd || ls /usr/sbin/sshd 2>/dev/null) && command -v ssh >/dev/null 2>&1; then
	by_ssh
else
	left_out="$left_out ssh (package openssh-server)"
fi
if ! command -v python3 >/dev/null 2>&1; then
	left_out="$left_out https (package python3)"
elif ! command -v openssl >/dev/null 2>&1; then
	left_out="$left_out https (package openssl)"
else
	by_https
fi
by_path
by_full_disk
echo "$checks checks, $failed failed${left_out:+, left out:$left_out}"
[ $failed = 0 ]
