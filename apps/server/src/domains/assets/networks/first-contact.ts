import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Call } from '../../../kernel/access/call.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import { readPrivateKey } from '../../../kernel/ssh/keys/private-key.ts'
import { getAsset } from '../get-asset.ts'
import { type assetsAsset, assetsDomain } from '../tables.ts'
import { checkHostKey, hostKeyFingerprint } from './host-key.ts'
import { connectThrough, sshFailureText, sshPort, throughGateways } from './ssh.ts'
import { gatewaysInto, type TargetGateway } from './ways.ts'

/** A person waits for the answer beside a field. */
const TIMEOUT_MS = 8000

const address = z.object({
  ip: z.string().trim().min(1).max(128),
  port: z.coerce.number().int().min(1).max(65_535),
  /** The network that the machine is in, when its gateways lead there. */
  domain: z.guid().nullish(),
})
const confirmed = z.object({ fingerprint: z.string().min(1).max(128) })
const login = z.object({
  username: z.string().trim().min(1).max(128),
  password: z.string().max(256).nullish(),
  private_key: z.string().max(65_536).nullish(),
  passphrase: z.string().max(512).nullish(),
})

const HOST_KEY = { fields: plainFields({ fingerprint: 'string' }) }

/**
 * The questions to a machine while a person adds it: which host key it shows, whether this key is
 * the right one, and whether a name and password work. Nothing but the confirmed key is stored.
 * Machines of a domain are asked through its gateways.
 */
export function registerFirstContact(kernel: Kernel): void {
  const { app } = kernel
  const access = ['org_admin'] as const
  const assetOf = (request: FastifyRequest) => getAsset(kernel, request, (request.params as { id: string }).id)
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/shown-host-key/',
    config: { access, summary: 'SSH host key that an address shows now', takes: address, rows: HOST_KEY },
    handler: async ({ body, call }) => {
      const { ip: host, port, domain = null } = address.parse(body)
      if (domain) await requireDomain(kernel, call, domain)
      return { fingerprint: hostKeyFingerprint(await shownHostKey(kernel, { host, port, domain })) }
    },
  })
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/:id/host-keys/confirm/',
    config: {
      access,
      summary: 'Trust the SSH host key that an asset shows, if it is this one',
      answers: 'nothing',
      takes: confirmed,
    },
    handler: async (request, reply) => {
      const { fingerprint } = confirmed.parse(request.body)
      const asset = await assetOf(request)
      const place = placeOf(asset)
      const key = await shownHostKey(kernel, place)
      const scope = { orgId: asset.org_id, asset: asset.id, ...place }
      const isSame = hostKeyFingerprint(key) === fingerprint
      if (!isSame || (await checkHostKey(kernel.db, scope, key)).state !== 'pinned')
        throw invalid({ fingerprint: 'The machine shows another host key now' })
      return reply.status(204).send()
    },
  })
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/:id/try-login/',
    config: {
      access,
      summary: 'Log in to an asset with a name and password that are not stored',
      answers: 'nothing',
      takes: login,
    },
    handler: async (request, reply) => {
      await tryLogin(kernel, await assetOf(request), login.parse(request.body))
      return reply.status(204).send()
    },
  })
}

type Asset = typeof assetsAsset.$inferSelect

/** Where a machine is asked: its address, and the domain whose gateways lead there. */
interface Place {
  host: string
  port: number
  domain: string | null
}

const placeOf = ({ ip: host, protocols, domain }: Asset): Place => ({ host, port: sshPort({ protocols }), domain })

/** Throws 400 at the field `domain` where the caller's organization has none of that id. */
async function requireDomain({ db }: Kernel, call: Call, id: string): Promise<void> {
  await rowInOrg(db, call, assetsDomain, id).catch((cause) => {
    if (!(cause instanceof AppError)) throw cause
    throw invalid({ domain: translate(call.language, 'Invalid pk "{{id}}" - object does not exist.', { id }) }, cause)
  })
}

const gatewaysTo = ({ db, secrets }: Kernel, { domain, host }: Place): Promise<TargetGateway[]> =>
  gatewaysInto(db, domain, secrets.open('test', `gateways to ${host}`))

/**
 * Throws 400 at the field `domain` where it was a gateway that failed, not the machine behind it.
 */
function refuseGateway(error: unknown, gateways: readonly TargetGateway[]): void {
  if (gateways.length && error instanceof SshError && error.hop === 0)
    throw invalid({ domain: 'No gateway of this domain works: test them on their page' }, error)
}

/**
 * The key that a server shows, in wire format; the connection ends there, before any name or secret
 * is sent to it. Throws 400 at the field `ip`, or `domain`.
 */
async function shownHostKey(kernel: Kernel, place: Place): Promise<Buffer> {
  const gateways = await gatewaysTo(kernel, place)
  let shown: Buffer | undefined
  const hostKey = {
    expected: async () => ({ types: [], certified: false }),
    decide: async (key: Buffer) => {
      shown = key
      return { fingerprint: hostKeyFingerprint(key), trusted: [], isMoved: false, accepted: false }
    },
  }
  const { host, port } = place
  const hop = { host, port, username: 'nobody', password: '', privateKey: '', hostKey }
  try {
    const connection = await connectThrough(kernel, gateways, hop, { timeoutMs: TIMEOUT_MS })
    connection.close()
  } catch (error) {
    refuseGateway(error, gateways)
    if (!shown) throw invalid({ ip: error instanceof SshError ? sshFailureText(error) : 'No SSH server answers here' })
  }
  if (!shown) throw invalid({ ip: 'No SSH server answers here' })
  return shown
}

/** Throws 400 at the field that the server refused. */
async function tryLogin(kernel: Kernel, asset: Asset, sent: z.infer<typeof login>): Promise<void> {
  const key = sent.private_key ? await readPrivateKey(sent.private_key, sent.passphrase || undefined) : undefined
  if (!key && !sent.password) throw invalid({ password: 'This field is required.' })
  const { id, org_id: orgId } = asset
  const { domain, ...address } = placeOf(asset)
  const gateways = await gatewaysTo(kernel, placeOf(asset))
  const target = {
    ...address,
    username: sent.username,
    password: sent.password ?? '',
    privateKey: key?.privateKey ?? '',
    scope: { orgId, asset: id, domain },
  }
  try {
    const connection = await throughGateways(kernel, gateways, target, { timeoutMs: TIMEOUT_MS })
    connection.close()
  } catch (error) {
    if (!(error instanceof SshError)) throw error
    refuseGateway(error, gateways)
    const field = error.failure === 'authentication' ? (key ? 'private_key' : 'password') : 'username'
    throw invalid({ [field]: sshFailureText(error) })
  }
}
