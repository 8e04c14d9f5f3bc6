import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID, WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../../../kernel/access/call.ts'
import type { AccessProvider, Identity } from '../../../kernel/access/guard.ts'
import { isSameSecret } from '../../../kernel/access/same-secret.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { userAgentOf } from '../../../kernel/http/client-name.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { isInIpGroup } from '../../acls/index.ts'
import { hashKey } from '../random-secret.ts'
import { admitSignedRequest } from './access-key-use.ts'
import { type AccessKeyProof, readLegacySignature, readSignature } from './request-signature.ts'

/** How a caller is looked up: a condition on one of the tables of credentials, and its value. */
export interface Credential {
  via: NonNullable<Call['via']>
  source: 'session' | 'bearer' | 'private_token' | 'access_key'
  key: Buffer | string
  /** Checks an access key's signature, once its secret has been read. */
  proof?: AccessKeyProof
}

export interface IdentitySettings {
  rootOrgName(): string
  /** Lifetime in seconds of a browser session that is not used. */
  sessionSeconds(): number
}

/**
 * The end of a session is moved, and the use of a token stored, at most this often, to spare a
 * write for every call.
 */
const NOTE_SECONDS = 60

/**
 * Finds out who calls and in which organization: one query joins the credential, its user, the
 * organization and the memberships. Credentials are tried in the order of
 * docs/rules/authentication.md#credentials: Sign, Bearer, Token, Signature, session cookie.
 */
export function createAccessProvider(
  kernel: Kernel,
  { rootOrgName, sessionSeconds }: IdentitySettings,
): Omit<AccessProvider, 'isLicensed'> {
  return {
    async identify(request, wantedOrg) {
      const credential = credentialOf(request)
      const wanted = orgWord(wantedOrg)
      if (!credential)
        return {
          user: undefined,
          via: undefined,
          sessionId: undefined,
          org: await orgOfAnonymous(kernel, wanted, rootOrgName),
          orgRoles: [],
        }
      const found = await findCaller(kernel, credential, wanted)
      if (found?.session_end && found.user_id)
        await slideSession(kernel, found.sign_in_id, found.session_end, sessionSeconds())
      const identity = identityOf(kernel, credential, found, rootOrgName)
      if (credential.source === 'bearer' && found?.key_ip_group && !isInIpGroup(request.ip, found.key_ip_group))
        throw new AppError(401, 'not_authenticated', 'This token may not be used from your address.')
      if (found && (credential.source === 'bearer' || credential.source === 'private_token'))
        await noteTokenUse(kernel, credential.source, found, request)
      if (credential.proof && found?.key_ip_group)
        await admitSignedRequest(
          kernel,
          { id: credential.proof.keyId, ip_group: found.key_ip_group, date_last_used: found.key_last_used },
          credential.proof,
          request.ip,
        )
      return identity
    },
    hasBootstrapToken(request) {
      const { bootstrapToken } = kernel.config
      const given = request.headers.authorization?.trim().split(/\s+/).at(-1) ?? ''
      return bootstrapToken !== undefined && isSameSecret(given, bootstrapToken)
    },
  }
}

export function credentialOf(request: FastifyRequest): Credential | undefined {
  const authorization = request.headers.authorization
  if (authorization) {
    const [scheme = '', ...rest] = authorization.trim().split(/\s+/)
    const value = rest.join(' ')
    switch (scheme.toLowerCase()) {
      case 'sign': {
        const proof = readLegacySignature(value, request)
        return { via: 'signature', source: 'access_key', key: proof.keyId, proof }
      }
      case 'bearer':
        return { via: 'bearer', source: 'bearer', key: hashKey(value) }
      case 'token':
        return { via: 'private_token', source: 'private_token', key: hashKey(value) }
      case 'signature': {
        const proof = readSignature(value, request)
        return { via: 'signature', source: 'access_key', key: proof.keyId, proof }
      }
      default:
    }
  }
  const cookie = request.cookies[WIRE.sessionCookie]
  return cookie ? { via: 'session', source: 'session', key: hashKey(cookie) } : undefined
}

/** The organization that the client asks for, as an id, a name, or one of the two fixed words. */
function orgWord(wanted: string | undefined): { id?: string; name?: string } {
  const word = wanted?.trim().toLowerCase()
  if (!word || word === 'default') return { id: DEFAULT_ORG_ID }
  if (word === 'root') return { id: ROOT_ORG_ID }
  return isUuid(word) ? { id: word } : { name: wanted?.trim() ?? '' }
}

interface FoundCaller {
  /** Id of the entry in the list of sign-ins; null for access keys. */
  sign_in_id: string | null
  /** Browser sessions only. */
  session_end: Date | null
  /** Tokens only; null when never used. */
  last_seen: Date | null
  secret_sealed: Buffer | null
  /** Access keys, and bearer tokens that were made with them. */
  key_ip_group: string[] | null
  /** Access keys only. */
  key_last_used: Date | null
  user_id: string | null
  name: string
  username: string
  role: SystemRole
  valid: boolean
  org_id: string
  org_name: string | null
  org_roles: OrgRole[] | null
  /** An organization of the caller's own; null for members of the one that was asked for, and of none. */
  own_org_id: string | null
  own_org_name: string | null
  own_org_roles: OrgRole[] | null
}

type CredentialColumn = 'sign_in_id' | 'session_end' | 'last_seen' | 'secret_sealed' | 'key_ip_group' | 'key_last_used'

const SOURCES: Record<Credential['source'], string> = {
  session: credentialSql('authentication_session c WHERE c.key_hash = $1 AND c.date_expired > now()', {
    session_end: 'c.date_expired',
  }),
  bearer: credentialSql('authentication_bearer_token c WHERE c.token_hash = $1 AND c.date_expired > now()', {
    last_seen: 'c.date_last_seen',
    key_ip_group: 'c.ip_group',
  }),
  private_token: credentialSql('authentication_private_token c WHERE c.key_hash = $1', {
    last_seen: 'c.date_last_seen',
  }),
  access_key: credentialSql('authentication_access_key c WHERE c.id = $1 AND c.is_active', {
    sign_in_id: 'NULL',
    secret_sealed: 'c.secret_sealed',
    key_ip_group: 'c.ip_group',
    key_last_used: 'c.date_last_used',
  }),
}

/** Selects a credential with the same columns for every kind; those that a kind lacks are null. */
function credentialSql(from: string, columns: Partial<Record<CredentialColumn, string>>): string {
  const {
    sign_in_id = 'c.id',
    session_end = 'NULL',
    last_seen = 'NULL',
    secret_sealed = 'NULL',
    key_ip_group = 'NULL',
    key_last_used = 'NULL',
  } = columns
  return `SELECT c.user_id, ${sign_in_id}::uuid AS sign_in_id, ${session_end}::timestamptz AS session_end, ${last_seen}::timestamptz AS last_seen,
    ${secret_sealed}::bytea AS secret_sealed, ${key_ip_group}::text[] AS key_ip_group, ${key_last_used}::timestamptz AS key_last_used FROM ${from}`
}

async function findCaller(
  kernel: Kernel,
  { source, key }: Credential,
  wanted: { id?: string; name?: string },
): Promise<FoundCaller | undefined> {
  const { rows } = await kernel.pool.query<FoundCaller>({
    name: `identify_${source}`,
    text: `
      WITH credential AS (${SOURCES[source]}),
      org AS (
        SELECT id, name FROM orgs_listed_organization WHERE id = $2::uuid OR name = $3::text
        UNION ALL SELECT '${ROOT_ORG_ID}'::uuid, NULL WHERE $2::uuid = '${ROOT_ORG_ID}'::uuid
        UNION ALL SELECT id, name FROM orgs_listed_organization WHERE id = '${DEFAULT_ORG_ID}'::uuid
        LIMIT 1
      )
      SELECT c.sign_in_id, c.session_end, c.last_seen, c.secret_sealed, c.key_ip_group, c.key_last_used, u.id AS user_id, u.name, u.username, u.role,
        u.is_valid AS valid,
        CASE WHEN u.role = 'App' THEN '${ROOT_ORG_ID}'::uuid ELSE o.id END AS org_id, o.name AS org_name,
        here.roles AS org_roles, own.id AS own_org_id, own.name AS own_org_name, own.roles AS own_org_roles
      FROM credential c LEFT JOIN users_account u ON u.id = c.user_id LEFT JOIN org o ON true
      LEFT JOIN LATERAL (
        SELECT array_agg(m.role) AS roles FROM orgs_membership m WHERE m.org_id = o.id AND m.user_id = u.id
      ) here ON true
      LEFT JOIN LATERAL (
        SELECT l.id, l.name, array_agg(m.role) AS roles
        FROM orgs_membership m JOIN orgs_listed_organization l ON l.id = m.org_id
        WHERE m.user_id = u.id AND here.roles IS NULL AND u.role = 'User'
        GROUP BY l.id, l.name ORDER BY l.id <> '${DEFAULT_ORG_ID}'::uuid, l.name LIMIT 1
      ) own ON true`,
    values: [key, wanted.id ?? null, wanted.name ?? null],
  })
  return rows[0]
}

function identityOf(
  kernel: Kernel,
  credential: Credential,
  found: FoundCaller | undefined,
  rootOrgName: () => string,
): Identity {
  const nobody = { user: undefined, via: undefined, orgRoles: [], org: { id: DEFAULT_ORG_ID, name: 'Default' } }
  // A session that is unknown or unfinished counts as anonymous, so that the sign-in page still
  // works; a bad token is an error.
  if (credential.via === 'session' && !found?.user_id) return { ...nobody, sessionId: found?.sign_in_id ?? undefined }
  if (!found?.user_id) throw badCredential(credential)
  if (
    credential.proof &&
    !credential.proof.verify(
      kernel.secrets.open('sign_in', `API key of ${found.user_id}`)(found.secret_sealed ?? Buffer.alloc(0)),
    )
  )
    throw badCredential(credential)
  if (!found.valid) {
    if (credential.via === 'session') return { ...nobody, sessionId: undefined }
    throw badCredential(credential)
  }
  return {
    user: { id: found.user_id, name: found.name, username: found.username, role: found.role },
    via: credential.via,
    sessionId: credential.source === 'session' ? (found.sign_in_id ?? undefined) : undefined,
    signInId: found.sign_in_id ?? undefined,
    keyAddresses: found.key_ip_group ?? undefined,
    org: { id: found.org_id, name: found.org_id === ROOT_ORG_ID ? rootOrgName() : (found.org_name ?? '') },
    orgRoles: found.org_id === ROOT_ORG_ID ? [] : (found.org_roles ?? []),
    own: found.own_org_id
      ? { org: { id: found.own_org_id, name: found.own_org_name ?? '' }, orgRoles: found.own_org_roles ?? [] }
      : { org: { id: ROOT_ORG_ID, name: rootOrgName() }, orgRoles: [] },
  }
}

/**
 * For signed requests always the one text that clients know, which does not tell an unknown key
 * from a wrong signature.
 */
const badCredential = ({ proof }: Credential) =>
  new AppError(401, 'not_authenticated', proof ? 'Invalid signature.' : 'The token is not valid or has expired.')

async function orgOfAnonymous(
  kernel: Kernel,
  wanted: { id?: string; name?: string },
  rootOrgName: () => string,
): Promise<Identity['org']> {
  if (wanted.id === ROOT_ORG_ID) return { id: ROOT_ORG_ID, name: rootOrgName() }
  const names = await kernel.orgNames()
  if (wanted.id && names.has(wanted.id)) return { id: wanted.id, name: names.get(wanted.id) ?? '' }
  const named = wanted.name && [...names].find(([, name]) => name === wanted.name)
  return named ? { id: named[0], name: named[1] } : { id: DEFAULT_ORG_ID, name: names.get(DEFAULT_ORG_ID) ?? 'Default' }
}

/** Extends a browser session that is in use, and stores that it is. */
async function slideSession(kernel: Kernel, id: string | null, end: Date, seconds: number): Promise<void> {
  if (end.getTime() > Date.now() + (seconds - NOTE_SECONDS) * 1000) return
  await kernel.pool.query(
    'UPDATE authentication_session SET date_expired = now() + make_interval(secs => $2), date_last_seen = now() WHERE id = $1',
    [id, seconds],
  )
}

const TOKEN_USE = {
  // A bearer token belongs to the address that asked for it.
  bearer: 'UPDATE authentication_bearer_token SET date_last_seen = now() WHERE id = $1',
  private_token:
    'UPDATE authentication_private_token SET date_last_seen = now(), remote_addr = $2, user_agent = $3 WHERE id = $1',
} as const

/** Stores when a token was last used and, for private tokens, from where. */
async function noteTokenUse(
  { pool }: Pick<Kernel, 'pool'>,
  source: keyof typeof TOKEN_USE,
  { sign_in_id, last_seen }: FoundCaller,
  request: FastifyRequest,
): Promise<void> {
  if (last_seen && Date.now() - last_seen.getTime() < NOTE_SECONDS * 1000) return
  await pool.query(
    TOKEN_USE[source],
    source === 'bearer' ? [sign_in_id] : [sign_in_id, request.ip, userAgentOf(request)],
  )
}
