import { randomInt } from 'node:crypto'
import { ASSET_PROTOCOLS } from '@sallyport/contract/resources/assets/protocols.ts'
import { sshAuthority } from '@sallyport/contract/resources/assets/ssh-authority.ts'
import type { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { eq } from 'drizzle-orm'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { StoredRow, WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import { generateSshKey } from '../../kernel/ssh/keys/plain-key.ts'
import { ensureAuthority } from '../assets/authorities/index.ts'
import { linkAssetsBelowNodes, linkSwitchSource } from './linking.ts'
import { assetsSystemUser } from './tables.ts'

type Writing = WriteContext<typeof systemUser, typeof assetsSystemUser>
type Stored = StoredRow<typeof assetsSystemUser>
type Written = WrittenContext<typeof systemUser, typeof assetsSystemUser>

/** The value after this write: what is being written, else what is stored. */
function after<K extends keyof Writing['draft'] & keyof Stored>(
  { draft, row }: Pick<Writing, 'draft' | 'row'>,
  name: K,
) {
  return name in draft ? draft[name] : row?.[name]
}

const protocolOf = (context: Writing) => after(context, 'protocol') ?? 'ssh'

const PUSHABLE = new Set(['ssh', 'rdp'])

/**
 * System users of type admin log in by SSH, automatically and under their own name. On update the
 * stored type counts.
 */
export function forceAdminType({ draft, row }: Writing): void {
  if (row) delete draft.type
  if ((row?.type ?? draft.type) !== 'admin') return
  Object.assign(draft, { protocol: 'ssh', login_mode: 'auto', username_same_with_user: false, auto_push: false })
}

export function limitAutoPush(context: Writing): void {
  const { draft } = context
  if (draft.secret_source) draft.auto_push = false
  if (draft.auto_push === undefined) return
  if (
    after(context, 'login_mode') === 'manual' ||
    after(context, 'secret_source') ||
    !PUSHABLE.has(protocolOf(context))
  )
    draft.auto_push = false
}

/**
 * Replaces typed secrets by a long password and, for SSH, a key pair; only on create, when that is
 * asked for.
 */
export function generateSecrets(context: Writing): void {
  const { draft, mode } = context
  const protocol = protocolOf(context)
  if (
    mode !== 'create' ||
    draft.by_certificate ||
    !draft.auto_generate_key ||
    after(context, 'login_mode') !== 'auto' ||
    !PUSHABLE.has(protocol)
  )
    return
  draft.password = generatePassword()
  if (protocol === 'ssh') Object.assign(draft, { private_key: generateSshKey().privateKey, passphrase: undefined })
}

const GENERATED_LENGTH = 36
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const DIGITS = '23456789'
// Characters with no special meaning to a shell, a template or a URL.
const SPECIAL = '-_=+.,:@'

/** 36 characters, at least one of each kind. */
function generatePassword(): string {
  const pick = (from: string) => from[randomInt(from.length)] ?? ''
  const characters = [pick(LETTERS), pick(DIGITS), pick(SPECIAL)]
  while (characters.length < GENERATED_LENGTH) characters.push(pick(LETTERS + DIGITS + SPECIAL))
  for (let index = characters.length - 1; index > 0; index--) {
    const other = randomInt(index + 1)
    ;[characters[index], characters[other]] = [characters[other] ?? '', characters[index] ?? '']
  }
  return characters.join('')
}

const USERNAME = /^[\w@.-]*$/
const USERNAME_TELNET = /^[\w@.\-\u4e00-\u9fa5]*$/
const USERNAME_RDP = /^[\w@.\-#%&~^$\u4e00-\u9fa5]*$/

/**
 * Whether the protocol allows these characters in a user name (docs/rules/assets.md#system_user).
 */
export function isUsername(username: string, protocol: string): boolean {
  return (protocol === 'rdp' ? USERNAME_RDP : protocol === 'telnet' ? USERNAME_TELNET : USERNAME).test(username)
}

export function checkUsername(context: Writing): void {
  const { draft } = context
  if (after(context, 'username_same_with_user')) {
    Object.assign(draft, { username: '', home: '' })
    return
  }
  if (draft.username === undefined) return
  const protocol = protocolOf(context)
  const { username } = draft
  if (!isUsername(username, protocol)) throw invalid({ username: 'Special characters are not allowed' })
  if (!username && after(context, 'login_mode') === 'auto' && !['vnc', 'redis'].includes(protocol)) {
    throw invalid({ username: 'Enter a username: a stored password needs one' })
  }
}

export function requirePassword(context: Writing): void {
  const { draft, mode } = context
  const needsNone = draft.by_certificate || draft.auto_generate_key || draft.private_key
  if (mode !== 'create' || after(context, 'login_mode') !== 'auto' || needsNone) return
  if (draft.password === '' || draft.password === null) throw invalid({ password: 'Password or private key required' })
}

export function requireToken({ draft, mode, body }: Writing): void {
  if (mode === 'create' && 'token' in body && draft.token === '' && !draft.secret_source)
    throw invalid({ token: 'This field may not be blank.' })
}

export function checkSftpRoot({ draft }: Writing): void {
  const root = draft.sftp_root
  if (root !== undefined && !['home', 'tmp'].includes(root) && !root.startsWith('/')) {
    throw invalid({ sftp_root: 'The path must start with /' })
  }
}

/** Machines know certificates by SSH, and `su` asks for a password. */
export function checkCertificate(context: Writing): void {
  if (!after(context, 'by_certificate')) return
  if (protocolOf(context) !== 'ssh') throw invalid({ by_certificate: 'Only SSH system users sign in by certificate' })
  if (after(context, 'login_mode') !== 'auto')
    throw invalid({ by_certificate: 'A system user that asks each time does not sign in by certificate' })
  if (after(context, 'su_enabled'))
    throw invalid({ by_certificate: 'A system user that is switched to has a password, and no certificate' })
  if (after(context, 'secret_source'))
    throw invalid({ by_certificate: 'A system user whose secret is kept outside does not sign in by certificate' })
}

/** The organization's authority is made where it is first asked for. */
export async function makeAuthority({ kernel, db, call, stored }: Written): Promise<void> {
  if (!stored.by_certificate) return
  const { org_id: orgId } = stored
  const id = await ensureAuthority(kernel, db, orgId, call.user?.name ?? null)
  if (!id) return
  const what = { resourceType: sshAuthority.label, resource: 'v1', orgId, object: { type: sshAuthority.name, id } }
  await kernel.audit.record(db, call, [{ action: 'create', ...what }])
}

/** Checks the system user that people log in as before they switch to this one. */
export async function checkSwitchSource(context: Writing): Promise<void> {
  const { draft, db, row } = context
  if (!after(context, 'su_enabled')) {
    if (!row || row.su_from) draft.su_from = null
    return
  }
  const protocol = protocolOf(context)
  if (protocol !== 'ssh') throw invalid({ su_enabled: 'Only SSH system users can be switched to' })
  const from = after(context, 'su_from')
  if (!from) throw invalid({ su_from: 'This field is required.' })
  if (from === row?.id) throw invalid({ su_from: 'A system user cannot be switched to from itself' })
  const [source] = await db.select().from(assetsSystemUser).where(eq(assetsSystemUser.id, from))
  if (!source) throw invalid({ su_from: 'This field is required.' })
  if (source.protocol !== protocol || source.login_mode !== 'auto')
    throw invalid({ su_from: 'Only SSH system users with a stored password can be switched from' })
}

/**
 * In manual login mode people type everything: no secrets are stored
 * (docs/rules/assets.md#system_user).
 */
export async function wipeManualSecrets({ db, stored }: Written): Promise<void> {
  if (stored.login_mode !== 'manual') return
  await db
    .update(assetsSystemUser)
    .set({ password_sealed: null, private_key_sealed: null, public_key: '', ssh_key_fingerprint: '' })
    .where(eq(assetsSystemUser.id, stored.id))
  stored.ssh_key_fingerprint = ''
}

/**
 * Binding nodes links all assets of their subtrees; switching links the other system user as well.
 */
export async function linkAssets({ db, draft, stored }: Written): Promise<void> {
  if (draft.nodes?.length) await linkAssetsBelowNodes(db, stored.id)
  else if (draft.su_enabled || draft.su_from) await linkSwitchSource(db, stored.id)
}

export const isAssetProtocol = ({ protocol }: Stored): boolean =>
  (ASSET_PROTOCOLS as readonly string[]).includes(protocol)
