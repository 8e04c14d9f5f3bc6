import { z } from 'zod'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { connectSsh, SshError } from '../../../kernel/ssh/connect.ts'
import { getAsset } from '../asset-routes.ts'
import { checkHostKey, hostKeyFingerprint } from '../host-key.ts'
import { hostKeyCheck, sshFailureText } from '../ssh.ts'
import { readPrivateKey } from '../ssh-key.ts'
import type { assetsAsset } from '../tables.ts'

/** A person waits for the answer beside a field. */
const TIMEOUT_MS = 8000

const address = z.object({ ip: z.string().trim().min(1).max(128), port: z.coerce.number().int().min(1).max(65_535) })
const confirmed = z.object({ fingerprint: z.string().min(1).max(128) })
const login = z.object({
  username: z.string().trim().min(1).max(128),
  password: z.string().max(256).nullish(),
  private_key: z.string().max(65_536).nullish(),
  passphrase: z.string().max(512).nullish(),
})

const HOST_KEY = { fields: plainFields({ fingerprint: 'string' }) }

/**
 * What whoever adds a machine asks of it while they wait: which host key it shows, that this key is
 * the right one, and whether a name and password work. Nothing but the confirmed key is stored. For
 * machines that are reached directly.
 */
export function registerFirstContact(kernel: Kernel): void {
  const { app } = kernel
  const access = ['org_admin'] as const
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/shown-host-key/',
    config: { access, summary: 'SSH host key that an address shows now', takes: address, rows: HOST_KEY },
    handler: async ({ body }) => {
      const { ip, port } = address.parse(body)
      return { fingerprint: hostKeyFingerprint(await shownHostKey(ip, port)) }
    },
  })
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/:id/host-keys/confirm/',
    config: { access, summary: 'Trust the SSH host key that an asset shows, if it is this one', takes: confirmed },
    handler: async (request, reply) => {
      const { fingerprint } = confirmed.parse(request.body)
      const asset = await directAsset(kernel, request)
      const { ip: host } = asset
      const port = sshPort(asset)
      const key = await shownHostKey(host, port)
      const scope = { orgId: asset.org_id, asset: asset.id, host, port, domain: null }
      const isSame = hostKeyFingerprint(key) === fingerprint
      if (!isSame || (await checkHostKey(kernel.db, scope, key)).state !== 'pinned')
        throw invalid({ fingerprint: 'The machine shows another host key now' })
      return reply.status(204).send()
    },
  })
  app.route({
    method: 'POST',
    url: '/api/v1/assets/assets/:id/try-login/',
    config: { access, summary: 'Log in to an asset with a name and password that are not stored', takes: login },
    handler: async (request, reply) => {
      const asset = await directAsset(kernel, request)
      await tryLogin(kernel, asset, login.parse(request.body))
      return reply.status(204).send()
    },
  })
}

type Asset = typeof assetsAsset.$inferSelect

async function directAsset(
  kernel: Kernel,
  request: Parameters<typeof getAsset>[1] & { params: unknown },
): Promise<Asset> {
  const asset = await getAsset(kernel, request, (request.params as { id: string }).id)
  if (asset.domain) throw invalid({ domain: 'This machine is reached through gateways: test it on its own page' })
  return asset
}

const sshPort = ({ protocols }: Asset): number =>
  Number(protocols.find((protocol) => protocol.startsWith('ssh/'))?.split('/')[1] ?? 22)

/**
 * The key that a server shows, in wire format; the connection ends there, before any name or secret
 * is sent. Throws 400 at the field `ip`.
 */
async function shownHostKey(host: string, port: number): Promise<Buffer> {
  let shown: Buffer | undefined
  const hostKey = {
    knownTypes: async () => [],
    decide: async (key: Buffer) => {
      shown = key
      return { fingerprint: hostKeyFingerprint(key), trusted: [], isMoved: false, accepted: false }
    },
  }
  try {
    const hop = { host, port, username: 'nobody', password: '', privateKey: '', hostKey }
    const connection = await connectSsh([hop], { timeoutMs: TIMEOUT_MS })
    connection.close()
  } catch (error) {
    if (!shown) throw invalid({ ip: error instanceof SshError ? sshFailureText(error) : 'No SSH server answers here' })
  }
  if (!shown) throw invalid({ ip: 'No SSH server answers here' })
  return shown
}

/** Throws 400 at the field that the server refused. */
async function tryLogin(kernel: Kernel, asset: Asset, sent: z.infer<typeof login>): Promise<void> {
  const key = sent.private_key ? readPrivateKey(sent.private_key, sent.passphrase || undefined) : undefined
  if (sent.private_key && !key) throw invalid({ private_key: 'The private key or its passphrase is not valid' })
  if (!key && !sent.password) throw invalid({ password: 'This field is required.' })
  const { ip: host, id, org_id: orgId } = asset
  const port = sshPort(asset)
  try {
    const connection = await connectSsh(
      [
        {
          host,
          port,
          username: sent.username,
          password: sent.password ?? '',
          privateKey: key?.privateKey ?? '',
          hostKey: hostKeyCheck(kernel, { orgId, asset: id, host, port, domain: null }),
        },
      ],
      { timeoutMs: TIMEOUT_MS },
    )
    connection.close()
  } catch (error) {
    if (!(error instanceof SshError)) throw error
    const field = error.failure === 'authentication' ? (key ? 'private_key' : 'password') : 'username'
    throw invalid({ [field]: sshFailureText(error) })
  }
}
