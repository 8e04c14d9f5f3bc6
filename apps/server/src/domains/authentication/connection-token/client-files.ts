import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../../../kernel/access/call.ts'
import { AppError, forbidden, invalid } from '../../../kernel/errors/app-error.ts'
import { attachment } from '../../../kernel/http/attachment.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { settingsOf } from '../../settings/index.ts'
import { rdpAddress } from './desktop-clients.ts'
import {
  CONNECTION_TOKENS,
  type Connection,
  findConnection,
  issueToken,
  maySendFiles,
  mayUseClipboard,
  tokenRequest,
} from './issue.ts'
import { rdpFile } from './rdp-file.ts'

const PLATFORM = 'sallyport'
/** Protocols of system users. The gateway speaks RDP to a client for each of them. */
const DESKTOP_PROTOCOLS: ReadonlySet<string> = new Set(['rdp', 'vnc'])
const NO_DESKTOP = 'This system user opens no desktop'
const NOT_SERVED =
  'Clients of RDP are not served here: an administrator can open a port for them, or set an RDP address'

const isTrue = (value: unknown) => ['true', '1', 'yes', 'on', 't', 'y'].includes(String(value ?? '').toLowerCase())
const pixels = z.preprocess(
  (value) => (value === '' ? undefined : value),
  z.coerce.number().int().min(1).max(32_766).optional(),
)

/** How the client is to show the desktop. Values may come as text or as JSON. */
const clientOptions = z.object({
  width: pixels,
  height: pixels,
  full_screen: z.unknown().optional().transform(isTrue),
  drives_redirect: z.unknown().optional().transform(isTrue),
})

const clientRequest = tokenRequest.extend(clientOptions.shape)

/** Serves what starts a client program: a file, or a link that contains one. */
export function registerClientFiles(kernel: Kernel): void {
  const { app } = kernel
  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: `${CONNECTION_TOKENS}rdp/file/`,
      exposeHeadRoute: false,
      config: {
        access: ['authenticated'],
        rootOrg: true,
        changesOnGet: 'same_site',
        summary: 'Connection token: RDP file',
        answers: 'file',
        takes: clientRequest,
      },
      handler: async (request, reply) => {
        const sent = sentBy(request)
        const connection = await findConnection(kernel, request.call, tokenRequest.parse(sent))
        const content = await rdpFileFor(kernel, request, connection, clientOptions.parse(sent))
        const name = `${fileName(request, connection)}.rdp`
        reply.type('application/octet-stream').header('Content-Disposition', attachment(name))
        return content
      },
    })
    app.route({
      method,
      url: `${CONNECTION_TOKENS}client-url/`,
      exposeHeadRoute: false,
      config: {
        access: ['authenticated'],
        rootOrg: true,
        changesOnGet: true,
        summary: 'Connection token: link that starts a client program',
        answers: { fields: plainFields({ url: 'string' }) },
        takes: clientRequest,
      },
      handler: async (request) => {
        const sent = sentBy(request)
        const connection = await findConnection(kernel, request.call, tokenRequest.parse(sent))
        const { protocol } = connection.systemUser
        if (protocol !== 'rdp' && protocol !== 'ssh') throw notForClients(request, protocol)
        const config =
          protocol === 'rdp'
            ? await rdpFileFor(kernel, request, connection, clientOptions.parse(sent))
            : sshAddress(kernel, request, connection)
        const data = { filename: fileName(request, connection), protocol, username: connection.person.username, config }
        return { url: `jms://${Buffer.from(JSON.stringify(data)).toString('base64')}` }
      },
    })
  }
}

const anObject = z.record(z.string(), z.unknown()).catch({})

/** Clients send options in the query, and what to connect to in query or body. */
const sentBy = ({ query, body }: FastifyRequest): Record<string, unknown> => ({
  ...singleValues(query),
  ...anObject.parse(body),
})

const fileName = ({ call }: FastifyRequest, { target }: Connection) =>
  `${callerOf(call).username}-${target.name}-${PLATFORM}`

async function rdpFileFor(
  kernel: Kernel,
  request: FastifyRequest,
  connection: Connection,
  { width, height, full_screen, drives_redirect }: z.infer<typeof clientOptions>,
): Promise<string> {
  if (!settingsOf(kernel).get('XRDP_ENABLED')) throw forbidden('Clients of RDP are switched off')
  if (!DESKTOP_PROTOCOLS.has(connection.systemUser.protocol)) throw invalid({ system_user: NO_DESKTOP })
  const address = rdpAddress(kernel, hostOf(kernel, request))
  // Where nobody serves them no token is issued for nothing.
  if (!address) throw new AppError(400, 'rdp_not_served', NOT_SERVED)
  return rdpFile({
    address,
    username: connection.person.username,
    token: await issueToken(kernel, request.call, connection),
    domain: connection.systemUser.ad_domain,
    fullScreen: full_screen,
    size: width && height ? { width, height } : undefined,
    drives: drives_redirect && maySendFiles(connection.mask),
    clipboard: mayUseClipboard(connection.mask),
  })
}

/**
 * A plain SSH address: the person signs in there as always, since tokens do not open this listener
 * (docs/rules/gateway.md#login_name).
 */
function sshAddress(kernel: Kernel, request: FastifyRequest, { person, systemUser, target }: Connection): string {
  const user = encodeURIComponent(`${person.username}@${systemUser.id}@${target.id}`)
  return `ssh://${user}@${hostOf(kernel, request)}:${kernel.config.sshPort}`
}

/** The host name by which the client called us; the installation's where that is malformed. */
export function hostOf(kernel: Kernel, { hostname }: FastifyRequest): string {
  return /^(?:[\w.-]+|\[[\da-fA-F:.]+\])$/.test(hostname)
    ? hostname
    : new URL(settingsOf(kernel).get('SITE_URL')).hostname
}

function notForClients({ call }: FastifyRequest, protocol: string): AppError {
  const text = 'Client programs can be started for RDP and SSH, not for {{protocol}}'
  return new AppError(401, 'protocol_not_supported', text, {
    body: { error: translate(call.language, text, { protocol }) },
  })
}
