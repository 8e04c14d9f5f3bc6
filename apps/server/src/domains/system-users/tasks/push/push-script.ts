/**
 * What makes a system user's account on a Unix machine, as root: account, password, key and sudo
 * rules. Each step looks first and says whether it changed anything, so a second run changes nothing.
 */

import { type TrustedAuthorities, trustSteps } from './trust-script.ts'

/** An account as it shall be. */
export interface PushedAccount {
  username: string
  home: string
  shell: string
  /** Supplementary groups, made where they are missing. */
  groups: readonly string[]
  /** Commands that it may run as root without a password; none takes away what was given before. */
  sudo: string
  password: string
  /** One line as in `authorized_keys`; empty for none. */
  publicKey: string
  /** Trusted by the machine from then on, where the account signs in by certificate. */
  authorities?: TrustedAuthorities
}

/** Text that a shell reads as one word. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** How accounts say that they were made here: no others are ever removed. */
export const MADE_HERE = 'Made by Sallyport'

/** `sudo` takes no file whose name has a dot. */
const ruleFile = (username: string) => `sudoers.d/sallyport-${username.replace(/[^\w-]/g, '_')}`

/**
 * Tools of Linux, or those of FreeBSD by pw(8). On FreeBSD, `sudo` is a port, with its own folder,
 * and so are most shells.
 */
const TOOLS = `
LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin:/usr/local/bin; export PATH; umask 077
say() { printf '@@%s\\t%s\\t%s\\n' "$1" "$2" "$(printf '%s' "$3" | tr '\\n\\t' '  ')"; }
etc=/etc
case $(uname -s) in
FreeBSD | DragonFly)
  make_group() { pw groupadd -n "$1"; }
  make_user() { pw useradd -n "$user" -c "$made" -m -d "$home" -s "$shell"; }
  set_shell() { pw usermod -n "$user" -s "$shell"; }
  set_home() { pw usermod -n "$user" -d "$home"; }
  join_group() { pw groupmod -n "$1" -m "$user"; }
  set_password() { printf '%s\\n' "$password" | pw usermod -n "$user" -h 0; }
  remove_user() { pw userdel -n "$user"; }
  stored_hash() { getent passwd "$user" | cut -d: -f2; }
  # Root's shell may be csh, which must read nothing of it.
  as_user() { (HOME=$home steps=$1; export HOME steps; su -m "$user" -c 'exec /bin/sh -c "$steps"'); }
  [ -d /etc/sudoers.d ] || etc=/usr/local/etc
  if [ ! -x "\${shell:=/bin/sh}" ]; then
    case $shell in
    # They lie elsewhere than on Linux, and nothing stands in for them: who was to have no shell gets none.
    */nologin | */false) shell=/usr/sbin/nologin ;;
    *) if [ -x "/usr/local$shell" ]; then shell=/usr/local$shell; else shell=/bin/sh; fi ;;
    esac
  fi
  ;;
*)
  make_group() { groupadd "$1"; }
  make_user() { useradd -c "$made" -m -d "$home" -s "$shell" "$user"; }
  set_shell() { usermod -s "$shell" "$user"; }
  set_home() { usermod -d "$home" "$user"; }
  join_group() { usermod -a -G "$1" "$user"; }
  set_password() { printf '%s:%s\\n' "$user" "$password" | chpasswd; }
  remove_user() { userdel "$user"; }
  stored_hash() { getent shadow "$user" | cut -d: -f2; }
  as_user() { su -s /bin/sh "$user" -c "$1"; }
  ;;
esac`

/** Commands may be on several lines; rules are one. */
const rules = ({ username, sudo }: PushedAccount) => {
  const commands = sudo
    .split(/[\n,]/)
    .map((command) => command.trim())
    .filter(Boolean)
  return commands.length ? `${username} ALL=(ALL) NOPASSWD: ${commands.join(', ')}` : ''
}

/** The script, and its input: the password is in no argument and no file but shadow. */
export function pushScript(account: PushedAccount): { script: string; stdin: string } {
  const { username, home, shell, groups, publicKey, password } = account
  const script = `
user=${quoted(username)} home=${quoted(home)} shell=${quoted(shell)} groups=${quoted(groups.join(' '))}
key=${quoted(publicKey)} rules=${quoted(rules(account))} made=${quoted(MADE_HERE)}
${TOOLS}
file=$etc/${ruleFile(username)}
IFS= read -r password
fail() { say "$1" failed "$2"; exit 1; }
# Tools of accounts give up at once where another one is at work on this machine.
patiently() {
  tries=0
  until out=$("$@" 2>&1); do
    case $out in *'annot lock'* | *'try again later'* | *'is busy'*) ;; *) return 1 ;; esac
    tries=$((tries + 1))
    [ "$tries" -lt 15 ] || return 1
    sleep 1
  done
}

state=same
for group in $groups; do
  getent group "$group" >/dev/null || { patiently make_group "$group" || fail user "$out"; state=changed; }
done
if ! id "$user" >/dev/null 2>&1; then
  # Or another push has made it meanwhile.
  patiently make_user || id "$user" >/dev/null 2>&1 || fail user "$out"
  state=changed
fi
entry=$(getent passwd "$user")
if [ "$(printf '%s' "$entry" | cut -d: -f7)" != "$shell" ]; then
  patiently set_shell || fail user "$out"; state=changed
fi
if [ "$(printf '%s' "$entry" | cut -d: -f6)" != "$home" ]; then
  patiently set_home || fail user "$out"; state=changed
fi
for group in $groups; do
  case " $(id -nG "$user") " in *" $group "*) ;; *) patiently join_group "$group" || fail user "$out"; state=changed ;; esac
done
if [ ! -d "$home" ]; then
  out=$(mkdir -p "$home" 2>&1 && chmod 700 "$home" && chown "$user:" "$home") || fail user "$out"; state=changed
fi
say user $state ''

if [ -n "$password" ]; then
  stored=$(stored_hash)
  match=$(printf '%s\\n%s\\n' "$stored" "$password" | perl -e 'chomp($h=<STDIN>); chomp($p=<STDIN>); print "same" if length($h) > 2 && crypt($p,$h) eq $h' 2>/dev/null)
  # Where there is no Perl: the hash of FreeBSD and most of Linux.
  case $match$stored in '$6$'[!r]*)
    [ "$(printf '%s\\n' "$password" | openssl passwd -6 -salt "$(printf '%s' "$stored" | cut -d'$' -f3)" -stdin 2>/dev/null)" = "$stored" ] && match=same ;;
  esac
  if [ "$match" = same ]; then say password same ''
  else
    patiently set_password || fail password "$out"
    say password changed ''
  fi
fi

if [ -n "$key" ]; then
  # As the account itself: whoever owns its home must not lead root to a file of others.
  out=$(printf '%s\\n' "$key" | as_user 'umask 077; cd || exit 1; IFS= read -r key; mkdir -p .ssh && chmod 700 .ssh && touch .ssh/authorized_keys && chmod 600 .ssh/authorized_keys || exit 1; if grep -qxF -e "$key" .ssh/authorized_keys; then echo same; else [ -z "$(tail -c 1 .ssh/authorized_keys)" ] || echo >> .ssh/authorized_keys; printf "%s\\n" "$key" >> .ssh/authorized_keys && echo changed; fi' 2>&1) || fail key "$out"
  say key "$(printf '%s' "$out" | tail -n 1)" ''
fi

if [ -z "$rules" ]; then
  if [ -e "$file" ]; then rm -f "$file"; say sudo changed ''; else say sudo same ''; fi
elif ! command -v visudo >/dev/null 2>&1; then fail sudo 'sudo is not installed'
elif [ "$(cat "$file" 2>/dev/null)" = "$rules" ]; then say sudo same ''
else
  # Checked before it is in place: broken rules would take sudo from everybody.
  # Beside its place, so that it gets there in one go; sudo passes over names with a dot.
  draft=$(mktemp "$file.XXXXXX" 2>&1) || fail sudo "$draft"
  printf '%s\\n' "$rules" > "$draft"
  out=$(visudo -c -f "$draft" 2>&1) || { rm -f "$draft"; fail sudo "$out"; }
  chmod 440 "$draft" && chown 0:0 "$draft" && mv "$draft" "$file" || { rm -f "$draft"; fail sudo 'the rules could not be stored'; }
  say sudo changed ''
fi
${account.authorities ? trustSteps(account.authorities) : ''}`
  return { script, stdin: `${password}\n` }
}

/**
 * Takes an account away that was pushed, with its sudo rules. What is in its home stays, and so does
 * an account that was there before.
 */
export function removalScript(username: string): string {
  return `
user=${quoted(username)} home= shell= made=${quoted(MADE_HERE)}
${TOOLS}
file=$etc/${ruleFile(username)}
if [ -e "$file" ]; then rm -f "$file"; say sudo changed ''; else say sudo same ''; fi
if ! id "$user" >/dev/null 2>&1; then say user same ''
elif [ "$(getent passwd "$user" | cut -d: -f5 | cut -d, -f1)" != "$made" ]; then
  say user failed 'The account was there before it was pushed: it stays'
elif out=$(remove_user 2>&1); then say user changed ''
else say user failed "$out"; fi
`
}
