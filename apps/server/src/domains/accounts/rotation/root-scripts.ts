/**
 * Scripts for machines, run as root by a plain POSIX shell. Everything about one account comes by
 * standard input and is read line by line: nothing secret is ever in a command line, an
 * environment, a history or a log, and nothing that is read is interpreted by a shell.
 */

const PREAMBLE = `umask 077; LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin; export PATH
`

/** Whether this is root and can change passwords, and what its policy asks of them. */
export const CHECK_SCRIPT = `${PREAMBLE}[ "$(id -u)" = 0 ] || exit 20
command -v chpasswd >/dev/null 2>&1 || exit 21
cat /etc/security/pwquality.conf /etc/security/pwquality.conf.d/*.conf 2>/dev/null | sed 's/#.*//'
exit 0
`

/** Said once a part of the change has been made: what fails after that is no plain refusal. */
export const CHANGED = 'sallyport: changed'

/**
 * Lines of input: user name, password, public key, how keys are changed; empty where it stays. The
 * keys of a home are written as its owner, who could otherwise have links there lead root astray;
 * the new file takes the old one's place at once, and only when it is whole.
 */
export const CHANGE_SCRIPT = `${PREAMBLE}IFS= read -r user; IFS= read -r password; IFS= read -r key; IFS= read -r how
id -u "$user" >/dev/null 2>&1 || useradd -m "$user" 2>&1 || adduser -D "$user" 2>&1 || exit 22
if [ -n "$password" ]; then
  printf '%s:%s\\n' "$user" "$password" | chpasswd 2>&1 || exit 23
  echo '${CHANGED}'
fi
[ -n "$key" ] || exit 0
home=$(getent passwd "$user" 2>/dev/null | cut -d: -f6)
[ -n "$home" ] || home=$(awk -F: -v user="$user" '$1 == user { print $6 }' /etc/passwd)
file=$(sshd -T -C "user=$user,host=localhost,addr=127.0.0.1" 2>/dev/null | awk 'tolower($1) == "authorizedkeysfile" { print $2; exit }')
[ "\${file:-none}" != none ] || file=.ssh/authorized_keys
case $file in *%h*) file=\${file%%%h*}$home\${file#*%h} ;; esac
case $file in *%u*) file=\${file%%%u*}$user\${file#*%u} ;; esac
case $file in /*) ;; *) file=$home/$file ;; esac
blob=$(printf '%s' "$key" | cut -d' ' -f2)
export file how key blob
write='
umask 077
dir=$(dirname "$file"); [ -d "$dir" ] || mkdir -p "$dir" || exit 1
new=$(mktemp "$dir/.sallyport.XXXXXX") || exit 1
trap "rm -f \\"$new\\"" EXIT
kept() {
  [ -f "$file" ] || return 0
  case $how in
    add) grep -vF -- "$blob" "$file" ;;
    set_jms) grep -v " sallyport\\$" "$file" | grep -vF -- "$blob" ;;
  esac
  [ $? -lt 2 ]
}
{ kept && printf "%s\\n" "$key"; } > "$new" || exit 1
[ ! -f "$file" ] || chmod --reference="$file" "$new" 2>/dev/null || chmod 600 "$new"
sync "$new" 2>/dev/null || sync
mv -f "$new" "$file"
'
case $file in
  "$home"/*) su -s /bin/sh -c "$write" "$user" 2>&1 || exit 24 ;;
  *) sh -c "$write" 2>&1 || exit 24; chmod 644 "$file" ;;
esac
! command -v restorecon >/dev/null 2>&1 || restorecon -F "$file" >/dev/null 2>&1
echo '${CHANGED}'
`

/**
 * Whether a password is that of an account which may not log in over SSH, such as root: asked of
 * `su` by somebody who has to give it. Where sshd lets the account in by password, what it says is
 * the answer, and `su` is not asked: too many wrong ones lock an account. Lines of input: user name,
 * password.
 */
export const PROVE_SCRIPT = `${PREAMBLE}IFS= read -r user
rules=$(sshd -T -C "user=$user,host=localhost,addr=127.0.0.1" 2>/dev/null)
if [ -n "$rules" ]; then
  printf '%s\\n' "$rules" | awk -v user="$user" '
    $1 == "passwordauthentication" && $2 == "no" { found = 1 }
    $1 == "permitrootlogin" && $2 != "yes" && user == "root" { found = 1 }
    $1 ~ /^(allow|deny)(users|groups)$/ { found = 1 }
    END { exit !found }' || exit 1
fi
exec su -s /bin/sh -c 'exec su -s /bin/sh -c "exit 0" "$0"' nobody "$user" 2>/dev/null
`
