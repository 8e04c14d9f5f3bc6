import { isIP } from 'node:net'
import { type Host, HostError } from '../../system-users/index.ts'

/** An account as found on a machine. */
export interface FoundUser {
  username: string
  uid: number | null
  home: string
  shell: string
  is_admin: boolean
  /** Undefined where they could not be read. */
  keys: { key: string; comment: string }[] | undefined
  date_last_login: string | null
  ip_last_login: string
}

/**
 * Everything in one script, whose parts begin with a tag. It reads the last sign-in of each
 * account; where `last` is gone, as on recent systems, its successors. Authorized keys are read
 * where sshd looks for them; anything but a plain file is left alone, since the owner of the
 * account chooses its content.
 */
const SCRIPT = `LC_ALL=C; TZ=UTC; export LC_ALL TZ; PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin; export PATH
users() { getent passwd 2>/dev/null || cat /etc/passwd; }
echo "@@uid"; id -u; id -un
echo "@@passwd"; users
echo "@@admins"; for group in sudo wheel admin; do getent group "$group" 2>/dev/null || grep "^$group:" /etc/group; done
echo "@@last"
if command -v last >/dev/null 2>&1; then last -Fwi 2>/dev/null
elif command -v wtmpdb >/dev/null 2>&1; then wtmpdb last -F 2>/dev/null
elif command -v lastlog2 >/dev/null 2>&1; then lastlog2 2>/dev/null
else lastlog 2>/dev/null; fi | awk '!seen[$1]++'
echo "@@keys"
files=$(sshd -T 2>/dev/null | awk '$1 == "authorizedkeysfile" { $1 = ""; print }')
[ -n "$files" ] || files=".ssh/authorized_keys .ssh/authorized_keys2"
users | while IFS=: read -r user secret uid gid name home shell; do
  for file in $files; do
    [ "$file" = none ] && continue
    file=$(printf '%s' "$file" | sed "s|%h|$home|g; s|%u|$user|g; s|%U|$uid|g")
    case $file in /*) ;; *) file=$home/$file ;; esac
    if [ -f "$file" ] && [ -r "$file" ]; then head -c 65536 "$file" | awk -v user="$user" '{ print user "\\t" $0 }'; fi
  done
done
echo "@@end"`

const READ_MS = 60_000

/**
 * The accounts of a Unix machine, as root where the login may become that, else as it can. Throws
 * HostError.
 */
export async function readUsers(host: Host): Promise<FoundUser[]> {
  const read = (become: object) => host.run(SCRIPT, { timeoutMs: READ_MS, ...become })
  const { stdout, isCut } = await read({ become: 'root' }).catch((error) => {
    if (!(error instanceof HostError)) throw error
    return read({})
  })
  if (isCut || !/^@@end$/m.test(stdout)) throw new HostError('The machine did not answer in full')
  const users = parseUsers(stdout)
  if (!users.length) throw new HostError('The machine named no accounts')
  return users
}

/** Those whose shell ends so can't be logged in to (docs/rules/accounts.md#gathered_user). */
const NO_LOGIN = /(nologin|sync|shutdown|halt)$/

/** Reads what the script printed; lines of another form are left out. */
export function parseUsers(output: string): FoundUser[] {
  const parts = new Map<string, string[]>()
  for (const part of output.split(/^@@/m).slice(1)) {
    const [tag = '', ...lines] = part.split(/\r?\n/)
    parts.set(tag, lines.filter(Boolean))
  }
  const lines = (tag: string) => parts.get(tag) ?? []
  const [uid, self] = lines('uid')
  const admins = new Set(lines('admins').flatMap((line) => line.split(':')[3]?.split(',') ?? []))
  const signIns = lastSignIns(lines('last'))
  const keys = Map.groupBy(lines('keys').flatMap(keyIn), ({ username }) => username)
  const users = new Map<string, FoundUser>()
  for (const line of lines('passwd')) {
    const [username = '', , id = '', , , home = '', shell = ''] = line.split(':')
    if (!username || users.has(username) || !/^\d+$/.test(id) || NO_LOGIN.test(shell)) continue
    const mayRead = uid === '0' || username === self
    users.set(username, {
      username: username.slice(0, 128),
      uid: Number(id),
      home: home.slice(0, 1024),
      shell: shell.slice(0, 1024),
      is_admin: id === '0' || admins.has(username),
      keys: mayRead ? (keys.get(username) ?? []).map(({ key, comment }) => ({ key, comment })) : undefined,
      ...(signIns.get(username) ?? { date_last_login: null, ip_last_login: '' }),
    })
  }
  return [...users.values()]
}

const KEY = /(?:^|\s)((?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[\w@.-]+)\s+([A-Za-z0-9+/]{40,}={0,3})(?:\s+(.*))?$/

/** A line of authorized_keys behind a name; options may be before the key. */
function keyIn(line: string): { username: string; key: string; comment: string }[] {
  const [username = '', text = ''] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1).trim()]
  const [, type, body, comment = ''] = text.startsWith('#') ? [] : (KEY.exec(text) ?? [])
  return type && body ? [{ username, key: `${type} ${body}`, comment: comment.trim().slice(0, 256) }] : []
}

const DATE = /[A-Z][a-z]{2}\s+([A-Z][a-z]{2})\s+(\d{1,2}) (\d\d:\d\d:\d\d)(?: ([+-]\d{4}))? (\d{4})/

/** The first line of each account: `last` tells the latest first. */
function lastSignIns(lines: readonly string[]) {
  const found = new Map<string, { date_last_login: string | null; ip_last_login: string }>()
  for (const line of lines) {
    const [username = '', ...words] = line.split(/\s+/)
    const [, month, day, time, zone = '+0000', year] = DATE.exec(line) ?? []
    if (!month || found.has(username)) continue
    const at = new Date(`${day} ${month} ${year} ${time} ${zone}`)
    if (Number.isNaN(at.getTime())) continue
    found.set(username, {
      date_last_login: at.toISOString(),
      ip_last_login: words.slice(0, 2).find((word) => isIP(word) && word !== '0.0.0.0') ?? '',
    })
  }
  return found
}
