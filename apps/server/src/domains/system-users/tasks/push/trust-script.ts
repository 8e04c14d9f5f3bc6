/**
 * What makes the SSH server of a Unix machine trust the authorities of an organization, as root. It
 * changes the server by which the script came, with the file that this one reads; where it trusts a
 * file already, the keys are added to that one. Lines that it writes end with a mark, and no others
 * are ever taken out.
 */
export interface TrustedAuthorities {
  orgId: string
  /** One line each, as in `authorized_keys`, without a comment. */
  keys: readonly string[]
}

export const markOf = (orgId: string): string => `sallyport-${orgId}`

/** For the script of a push, whose functions and variables it shares. */
export function trustSteps({ orgId, keys }: TrustedAuthorities): string {
  return `
mark='${markOf(orgId)}'
wanted='${keys.map((key) => `${key} ${markOf(orgId)}`).join('\n')}'
parent_of() {
  if [ -r "/proc/$1/status" ]; then sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status"
  else ps -o ppid= -p "$1" | tr -d ' '; fi
}
words_of() {
  if [ -r "/proc/$1/cmdline" ]; then tr '\\0' ' ' < "/proc/$1/cmdline"
  else ps -ww -o args= -p "$1"; fi
}
# The server above this shell that listens: those of connections are below it.
pid=$$ server='' words=''
while [ -n "$pid" ] && [ "$pid" -gt 0 ]; do
  own=$(words_of "$pid")
  case $own in
  'sshd: '* | 'sshd-session: '* | */sshd' '* | */sshd) server=$pid words=$own ;;
  *) [ -z "$server" ] || break ;;
  esac
  pid=$(parent_of "$pid")
done
program=$(command -v sshd || echo /usr/sbin/sshd)
config=$(printf '%s' "$words" | sed -n 's/.* -f *\\([^ ]*\\).*/\\1/p')
: "\${config:=/etc/ssh/sshd_config}"
[ -f "$config" ] || fail authority "no configuration of sshd: $config"
folder=$(dirname "$config")
effective=$("$program" -T -f "$config" -C user=root,host=localhost,addr=127.0.0.1 2>&1) || fail authority "$effective"
trusted=$(printf '%s\\n' "$effective" | sed -n 's/^trustedusercakeys //p')
place=$trusted
case $trusted in '' | none) place=$folder/sallyport_authorities.pub ;; esac
state=same
# An account that has never had a password counts as locked, and sshd without PAM lets it in by nothing.
case $(stored_hash) in '!' | '!!') out=$(usermod -p '*' "$user" 2>&1) || fail authority "$out"; state=changed ;; esac
if [ "$(grep -e " $mark\\$" "$place" 2>/dev/null)" != "$wanted" ]; then
  # Beside its place, so that it gets there in one go: nobody is let in by half a file.
  draft=$(mktemp "$place.XXXXXX" 2>&1) || fail authority "$draft"
  { grep -v -e " $mark\\$" "$place" 2>/dev/null; printf '%s\\n' "$wanted"; } > "$draft"
  chmod 644 "$draft" && chown 0:0 "$draft" && mv "$draft" "$place" || { rm -f "$draft"; fail authority 'the keys could not be stored'; }
  state=changed
fi
if [ "$place" != "$trusted" ]; then
  line="TrustedUserCAKeys $place"
  parts=$folder/sshd_config.d
  if [ -d "$parts" ] && grep -qiE "^[[:space:]]*include[[:space:]].*$parts/\\*\\.conf" "$config"; then
    changed=$parts/10-sallyport.conf
    printf '%s\\n' "$line" > "$changed"
    chmod 644 "$changed"
    undo() { rm -f "$changed"; }
  else
    # In front of all Match blocks; with the rights that the file has.
    kept=$(mktemp "$config.XXXXXX" 2>&1) || fail authority "$kept"
    cat "$config" > "$kept"
    { printf '%s\\n' "$line"; cat "$kept"; } > "$config"
    undo() { cat "$kept" > "$config"; rm -f "$kept"; }
  fi
  out=$("$program" -t -f "$config" 2>&1) || { undo; fail authority "$out"; }
  rm -f "\${kept:-}"
  # One that is started for each connection reads it anew by itself.
  case $words in *'[listener]'* | /*) kill -HUP "$server" || fail authority 'sshd could not be asked to read it' ;; esac
  state=changed
fi
say authority $state ''
`
}
