import type { OrgRole, SystemRole } from '@sallyport/contract/access.ts'
import { DEFAULT_ORG_ID, ROOT_ORG_ID, WIRE } from '@sallyport/contract/constants.ts'
import type { FastifyRequest } from 'fastify'
import { AGENT_TOKEN_PREFIX } from '../../../kernel/access/agent-token.ts'
import type { Call } from '../../../kernel/access/call.ts'
import type { AccessProvider, Identity } from '../../../kernel/access/guard.ts'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import { isSameSecret } from '../../../kernel/access/same-secret.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { isInIpGroup } from '../../acls/index.ts'
import { SERVICE_KEY_PREFIX, stoppedIdentity, WORKLOAD_TOKEN_PREFIX } from '../service-identities/stopped.ts'
import { admitSignedRequest } from './access-key-use.ts'
import { noteTokenUse, slideSession } from './credential-use.ts'
import { type AccessKeyProof, readLegacySignature, readSignature } from './request-signature.ts'

/** How a caller is looked up: a condition on one of the tables of credentials, and its value. */
export interface Credential {
  via: NonNullable<Call['via']>
  source: 'session' | 'bearer' | 'private_token' | 'access_key' | 'service_key' | 'workload_token' | 'agent_token'
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
      if (
        credential.via === 'service_key' &&
        found &&
        !found.valid &&
        isInIpGroup(request.ip, found.key_ip_group ?? [])
      )
        throw await stoppedIdentity(kernel, found.user_id)
      const identity = identityOf(kernel, credential, found, rootOrgName)
      if (!credential.proof && found?.key_ip_group && !isInIpGroup(request.ip, found.key_ip_group))
        throw new AppError(401, 'not_authenticated', 'This token may not be used from your address.')
      if (found && credential.source !== 'session' && credential.source !== 'access_key')
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
        if (value.startsWith(SERVICE_KEY_PREFIX))
          return { via: 'service_key', source: 'service_key', key: hashKey(value) }
        if (value.startsWith(WORKLOAD_TOKEN_PREFIX))
          return { via: 'service_key', source: 'workload_token', key: hashKey(value) }
        if (value.startsWith(AGENT_TOKEN_PREFIX)) return { via: 'bearer', source: 'agent_token', key: hashKey(value) }
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
  /** Service identities, and programs of people. */
  reads: string[] | null
  writes: string[] | null
  limits_targets: boolean | null
  on_behalf_of: string | null
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

type CredentialColumn =
  | 'user_id'
  | 'sign_in_id'
  | 'session_end'
  | 'last_seen'
  | 'secret_sealed'
  | 'key_ip_group'
  | 'key_last_used'
  | 'reads'
  | 'writes'
  | 'limits_targets'
  | 'subject'

/** A credential `c` of a service identity `i`: its limits hold for each kind. */
const OF_IDENTITY = {
  user_id: 'c.identity',
  last_seen: 'c.date_last_used',
  key_ip_group: 'i.ip_group',
  reads: 'i.reads',
  writes: 'i.writes',
  limits_targets: 'i.limits_targets',
}

/** A connected program has what a service identity has with the scope of agents alone. */
const AGENTS_ALONE = "ARRAY['agents']"

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
  service_key: credentialSql(
    `authentication_service_key c JOIN authentication_service_identity i ON i.id = c.identity
    WHERE c.key_hash = $1 AND c.is_active AND (c.date_expired IS NULL OR c.date_expired > now())`,
    OF_IDENTITY,
  ),
  workload_token: credentialSql(
    `authentication_workload_token c JOIN authentication_service_identity i ON i.id = c.identity
    JOIN authentication_trust_rule r ON r.id = c.rule AND r.is_active
    WHERE c.token_hash = $1 AND c.date_expired > now()`,
    { ...OF_IDENTITY, subject: 'c.subject' },
  ),
  agent_token: credentialSql(
    'authentication_agent_grant c WHERE c.access_hash = $1 AND c.date_access_expired > now() AND c.date_expired > now()',
    {
      ...{ last_seen: 'c.date_last_seen', reads: AGENTS_ALONE, writes: AGENTS_ALONE, limits_targets: 'false' },
    },
  ),
}

/** Selects a credential with the same columns for every kind; those that a kind lacks are null. */
function credentialSql(from: string, columns: Partial<Record<CredentialColumn, string>>): string {
  const {
    user_id = 'c.user_id',
    sign_in_id = 'c.id',
    session_end = 'NULL',
    last_seen = 'NULL',
    secret_sealed = 'NULL',
    key_ip_group = 'NULL',
    key_last_used = 'NULL',
    reads = 'NULL',
    writes = 'NULL',
    limits_targets = 'NULL',
    subject = 'NULL',
  } = columns
  return `SELECT ${user_id} AS user_id, ${sign_in_id}::uuid AS sign_in_id, ${session_end}::timestamptz AS session_end, ${last_seen}::timestamptz AS last_seen,
    ${secret_sealed}::bytea AS secret_sealed, ${key_ip_group}::text[] AS key_ip_group, ${key_last_used}::timestamptz AS key_last_used,
    ${reads}::text[] AS reads, ${writes}::text[] AS writes,
    ${limits_targets}::boolean AS limits_targets, ${subject}::text AS subject FROM ${from}`
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
      SELECT c.sign_in_id, c.session_end, c.last_seen, c.secret_sealed, c.key_ip_group, c.key_last_used, c.reads, c.writes, c.limits_targets,
        u.id AS user_id, u.name, u.username, u.role, u.is_valid AS valid,
        coalesce(c.subject, u.on_behalf_of) AS on_behalf_of,
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
    scope: found.reads
      ? { reads: found.reads, writes: found.writes ?? [], limitsTargets: found.limits_targets ?? false }
      : undefined,
    onBehalfOf: found.on_behalf_of ?? undefined,
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
