import { arrivePasswords, arrivePeople, everybody, looksOf, sameName } from '../../../domains/users/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { arrivedIds } from '../../../kernel/arrivals/note-arrivals.ts'
import { bring, type ImportContext } from '../context.ts'
import { Names } from '../names.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, int, text, textOrNull, uuid } from '../values.ts'
import { authenticatorSecret, opened, passwordHash, publicKeyOf } from './person-secrets.ts'
import { readPublicKeys } from './public-keys.ts'
import type { TheirRoles } from './roles.ts'

const COLUMNS = [
  ...['username', 'name', 'email', 'password', 'role', 'is_active', 'is_service_account', 'source', 'comment'],
  ...['wechat', 'phone', 'mfa_level', 'otp_secret_key', 'public_key', 'secret_key', 'is_first_login', 'date_expired'],
  ...['need_update_password', 'date_password_last_updated', 'date_joined', 'last_login', 'created_by'],
  ...['wecom_id', 'dingtalk_id', 'feishu_id'],
]

const SOURCES: Readonly<Record<string, string>> = {
  ...{ local: 'local', ldap: 'ldap', openid: 'openid', radius: 'radius', cas: 'cas', saml2: 'saml2' },
  ldap_ha: 'ldap',
}
/** Addresses of components, which are no people. */
const COMPONENT = /@local\.domain$/i
const UNSEEN = /[\p{Cc}\p{Cf}]/gu
/** People expire there after seventy years when nothing else is said. */
const NEVER = '2099-12-31T00:00:00.000Z'

interface Here {
  usernames: Names
  emails: Names
  /** People who came with an earlier run: ids here by ids there. */
  known: Map<string, string>
  /** The same people: ids there by ids here. */
  arrived: Map<string, string>
  /** Ids by usernames, letter by letter as they were before this run. */
  exactly: Map<string, string>
  /** Ids of people who have come in this run. */
  seen: Set<string>
  /** Usernames by their looks. */
  looks: Map<string, string>
}

/** Answers the ids of those who have come; those who were here before are not among them. */
export async function importPeople(context: ImportContext, roles: TheirRoles): Promise<Set<string>> {
  const { source, report, run } = context
  const notes = report.kind('Users')
  const here = await whoIsHere(context)
  const publicKeys = await readPublicKeys(context, notes)
  const came = new Set<string>()
  for await (const batch of source.read({ table: 'users.user', columns: COLUMNS })) {
    notes.read += batch.length
    const people = batch.flatMap((row) => personOf(context, { row, roles, here, publicKeys, notes }))
    const outcomes = await bring(
      context,
      notes,
      arrivePeople,
      people.map(({ person }) => person),
      'person',
    )
    // The account of somebody who was here before is theirs: no password comes for it.
    const passwords = people.flatMap(({ person, password }) => {
      const id = outcomes.ids.get(person.key)
      return id === undefined || outcomes.get(person.key) === 'there' ? [] : [{ ...password, id }]
    })
    const stored = await arrivePasswords(run, passwords)
    for (const { key, id, name } of passwords) {
      came.add(id)
      if (stored.get(key) === 'kept')
        notes.leaves(name, 'The password was changed there and here since the last run: the one here counts')
    }
  }
  return came
}

async function whoIsHere({ run }: ImportContext): Promise<Here> {
  const known = await arrivedIds(run, 'person')
  const arrived = new Map([...known].map(([theirs, ours]) => [ours, theirs]))
  const usernames = new Names(128, sameName)
  const here: Here = {
    ...{ usernames, emails: new Names(128, lower), looks: new Map(), exactly: new Map() },
    ...{ known, arrived, seen: new Set() },
  }
  for (const { id, username, email, looks } of await everybody(run.db)) {
    here.usernames.take('', username, id)
    here.exactly.set(username, id)
    here.emails.take('', email, id)
    for (const look of looks) here.looks.set(look, username)
  }
  return here
}

const lower = (email: string) => email.toLowerCase()

interface TheirPerson {
  row: SourceRow
  roles: TheirRoles
  here: Here
  publicKeys: ReadonlyMap<string, string>
  notes: KindNotes
}

function personOf(context: ImportContext, their: TheirPerson): { person: ArrivingRow; password: ArrivingRow }[] {
  const { row, roles, here, notes } = their
  const key = uuid(row.id)
  if (!key) return []
  const wanted = text(row.username, 128).replaceAll(UNSEEN, '').trim() || key
  const email = emailOf(context, row, notes, wanted)
  // Where roles are bindings, the column of earlier versions is left behind and says nothing.
  const role = roles.system.get(key) ?? (context.version.hasRoleBindings ? 'User' : roleOf(row.role))
  if (role === 'App' || bool(row.is_service_account) || COMPONENT.test(email)) {
    notes.staysBehind(wanted, 'A component: it registers here by itself')
    return []
  }
  const id = here.known.get(key) ?? sameAs(here, row.username) ?? key
  const isHere = id !== key
  const username = here.usernames.free('', wanted, id)
  here.seen.add(id)
  if (!isHere) noteName({ ...their, wanted, username })
  const custom = roles.custom.get(key)
  if (custom)
    notes.changes(wanted, 'Has the role {{roles}}, which is not known here: comes as User', {
      roles: custom.join(', '),
    })
  const values = {
    username,
    name: text(row.name, 128).trim() || username,
    email: isHere ? email : freeEmail(here, { email, username, id }, notes),
    role,
    is_active: bool(row.is_active),
    source: sourceOf(row, wanted, notes),
    comment: textOrNull(row.comment),
    ...contactsOf(context, row, notes, wanted),
    mfa_level: int(row.mfa_level, 0, 2, 0),
    date_expired: date(row.date_expired) ?? NEVER,
    date_joined: date(row.date_joined) ?? new Date(0).toISOString(),
    created_by: text(row.created_by, 30),
  }
  const once = {
    is_first_login: bool(row.is_first_login),
    need_update_password: bool(row.need_update_password),
    last_login: date(row.last_login),
  }
  const { plain, facts } = secretsOf(context, their, key, wanted)
  const password = {
    // Others are let in elsewhere: what is stored for them there opens nothing.
    password_hash: (row.source || 'local') === 'local' ? passwordHash(row, wanted, notes) : null,
    date_password_last_updated: date(row.date_password_last_updated),
  }
  return [
    {
      person: { key, id, name: wanted, values: { ...values, ...facts }, plain, once },
      password: { key, id, name: wanted, values: password },
    },
  ]
}

/**
 * Somebody who was here before under that very name, and has not come from there as somebody else. The
 * name in other letters is another's.
 */
function sameAs({ exactly, arrived, seen }: Here, username: string | null | undefined): string | undefined {
  const id = exactly.get(username ?? '')
  return id !== undefined && !arrived.has(id) && !seen.has(id) ? id : undefined
}

const roleOf = (role: string | null | undefined) =>
  role === 'Admin' || role === 'Auditor' || role === 'App' ? role : 'User'

function noteName({ wanted, username, row, here, notes }: TheirPerson & { wanted: string; username: string }): void {
  if (username !== row.username)
    notes.changes(
      text(row.username),
      'Signs in as {{username}}: another one has that name, in the same or other letters',
      { username },
    )
  for (const look of looksOf(username)) {
    const other = here.looks.get(look)
    if (other && sameName(other) !== sameName(username) && sameName(other) !== sameName(wanted))
      notes.changes(username, 'Looks like {{other}} at a glance', { other })
    here.looks.set(look, username)
  }
}

/** The address; from 4.10.17 on it is sealed. */
function emailOf(context: ImportContext, row: SourceRow, notes: KindNotes, username: string): string {
  const email = opened(context, row.email, {
    plainOnce: true,
    closed: () => notes.leaves(username, 'The email address does not open with this key'),
  })
  return text(email, 128).trim()
}

function freeEmail(
  { emails }: Here,
  { email, username, id }: { email: string; username: string; id: string },
  notes: KindNotes,
): string {
  const holder = emails.holder('', email)
  const isUsable = /^[^\s@]+@[^\s@]+$/.test(email) && (holder === undefined || holder === id)
  if (isUsable) {
    emails.take('', email, id)
    return email
  }
  const instead = emails.free('', `${id}@imported.invalid`, id)
  notes.changes(username, 'Has no email address of its own: needs one, until then no mail reaches this user')
  return instead
}

function sourceOf(row: SourceRow, username: string, notes: KindNotes): string {
  const theirs = row.source || 'local'
  const ours = SOURCES[theirs]
  if (ours) return ours
  notes.changes(
    username,
    'Signed in by {{source}}, which is not known here: comes as a local user, who needs a password',
    {
      source: text(theirs, 30),
    },
  )
  return 'local'
}

function contactsOf(context: ImportContext, row: SourceRow, notes: KindNotes, username: string) {
  const closed = () => notes.leaves(username, 'Phone or WeChat do not open with this key')
  return {
    phone: textOrNull(opened(context, row.phone, { plainOnce: true, closed }), 20),
    wechat: text(opened(context, row.wechat, { plainOnce: true, closed }), 128),
    wecom_id: textOrNull(row.wecom_id, 128),
    dingtalk_id: textOrNull(row.dingtalk_id, 128),
    feishu_id: textOrNull(row.feishu_id, 128),
  }
}

function secretsOf(context: ImportContext, { row, publicKeys, notes }: TheirPerson, key: string, username: string) {
  const closed = (what: string) => () => notes.leaves(username, what)
  const otp = opened(context, row.otp_secret_key, {
    closed: closed('The second factor does not open with this key: to be set up again'),
  })
  const secret = authenticatorSecret(otp)
  if (otp && !secret) notes.leaves(username, 'The second factor has an unknown form: to be set up again')
  const stored =
    publicKeys.get(key) ??
    opened(context, row.public_key, { closed: closed('The SSH key does not open with this key') })
  const publicKey = publicKeyOf(stored, closed('The SSH key cannot be read'))
  return {
    plain: {
      otp_secret_sealed: secret,
      public_key_sealed: publicKey.text,
      secret_key_sealed: opened(context, row.secret_key, {
        closed: closed('The file encryption password does not open with this key'),
      }),
    },
    facts: { public_key_comment: publicKey.comment, public_key_hash_md5: publicKey.md5 },
  }
}
