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
program=$(readlink "/proc/$server/exe" 2>/dev/null)
[ -x "$program" ] || program=$(command -v sshd || echo /usr/sbin/sshd)
config=$(printf '%s' "$words" | sed -n 's/.* -f *\\([^ ]*\\).*/\\1/p')
: "\${config:=/etc/ssh/sshd_config}"
[ -f "$config" ] || fail authority "no configuration of sshd: $config"
# The file itself, where there is a link to it.
file_of() { readlink -f "$1" 2>/dev/null || printf '%s' "$1"; }
config=$(file_of "$config")
folder=$(dirname "$config")
# The file of authorities by which the account is let in, as a configuration says; else its fault.
trusted_by() {
  answer=$("$program" -T -f "$1" -C "user=$user,host=localhost,addr=127.0.0.1" 2>&1) || { printf '%s' "$answer"; return 1; }
  printf '%s\\n' "$answer" | sed -n 's/^trustedusercakeys //p'
}
# A draft beside its place, which gets there in one go: a full disk, or an end on the way, changes nothing.
draft_of() { draft=$(mktemp "$1.XXXXXX" 2>&1) && { [ ! -e "$1" ] || cp -p "$1" "$draft"; } || fail authority "$draft"; }
store() {
  if [ -e "$1" ] && command -v chcon >/dev/null 2>&1; then chcon --reference="$1" "$draft" 2>/dev/null; fi
  mv -f "$draft" "$1" || give_up "$1 could not be stored"
}
give_up() { rm -f "$draft"; fail authority "$1"; }
trusted=$(trusted_by "$config") || fail authority "$trusted"
case $trusted in '' | none) place=$folder/sallyport_authorities.pub ;; *) place=$(file_of "$trusted") ;; esac
state=same
# An account that was made here has no password and counts as locked: sshd without PAM lets it in by nothing.
case $(printf '%s' "$entry" | cut -d: -f5)$(stored_hash) in
"$made!" | "$made!!") patiently usermod -p '*' "$user" || fail authority "$out"; state=changed ;;
esac
if [ "$(grep -e " $mark\\$" "$place" 2>/dev/null)" != "$wanted" ]; then
  is_new=
  [ -e "$place" ] || is_new=1
  draft_of "$place"
  if [ "$is_new" ]; then chmod 644 "$draft" && chown 0:0 "$draft" || give_up "$place could not be stored"
  else grep -v -e " $mark\\$" "$place" > "$draft"; [ $? -le 1 ] || give_up "$place could not be read or copied"; fi
  printf '%s\\n' "$wanted" >> "$draft" || give_up "$place could not be written"
  store "$place"
  state=changed
fi
case $trusted in '' | none)
  line="TrustedUserCAKeys $place"
  parts=$folder/sshd_config.d
  if [ -d "$parts" ] && grep -qiE "^[[:space:]]*include[[:space:]].*$parts/\\*\\.conf" "$config"; then
    changed=$parts/10-sallyport.conf
    [ ! -e "$changed" ] || fail authority "$changed is there already, and has no effect"
    draft_of "$changed"
    printf '%s\\n' "$line" > "$draft" && chmod 644 "$draft" || give_up "$changed could not be written"
    store "$changed"
    [ "$(trusted_by "$config")" = "$place" ] || { rm -f "$changed"; fail authority "sshd does not take $changed"; }
  else
    # In front of all Match blocks.
    draft_of "$config"
    { printf '%s\\n' "$line" && cat "$config"; } > "$draft" || give_up "$config could not be written"
    [ "$(trusted_by "$draft")" = "$place" ] || give_up "sshd does not take the line in $config"
    store "$config"
  fi
  # One that is started for each connection reads it anew by itself.
  case $words in *'[listener]'* | /*) kill -HUP "$server" || fail authority 'sshd could not be asked to read it' ;; esac
  state=changed
  ;;
esac
say authority $state ''
`
}
