import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { recordLogin } from '../../audits/index.ts'
import { mayConnect } from '../../perms/index.ts'
import { extendPublicSettings } from '../../settings/index.ts'
import { loginTypeOf, signInClientOf } from '../sign-in/sign-in.ts'
import { registerClientFiles } from './client-files.ts'
import { databasePorts } from './database-ports.ts'
import { desktopPorts } from './desktop-clients.ts'
import { CONNECTION_TOKENS, findConnection, issueToken, tokenRequest } from './issue.ts'
import { registerKubeconfig } from './kubeconfig.ts'
import { registerSshConfig } from './ssh-config.ts'
import { findToken, opensFrom } from './stored-token.ts'

/**
 * Tokens for client programs (docs/rules/authentication.md#connection_token): the holder of one can
 * connect to one target for a few minutes.
 */
export function registerConnectionTokens(kernel: Kernel): void {
  const { app } = kernel
  for (const url of [CONNECTION_TOKENS, '/api/v1/users/connection-token/']) {
    app.route({
      method: 'POST',
      url,
      config: {
        access: ['authenticated'],
        rootOrg: true,
        summary: 'Connection token: create',
        answers: { fields: plainFields({ token: 'string' }) },
        answerStatus: 201,
        takes: tokenRequest,
      },
      handler: async ({ call, body }, reply) => {
        const connection = await findConnection(kernel, call, tokenRequest.parse(body ?? {}))
        return reply.status(201).send({ token: await issueToken(kernel, call, connection) })
      },
    })
    app.route({
      method: 'GET',
      url,
      config: {
        access: ['super_admin', 'component'],
        rootOrg: true,
        summary: 'Connection token: whom and what it is for',
      },
      handler: async (request, reply) => {
        const { token = '', 'user-only': userOnly, remote_addr } = singleValues(request.query)
        const found = await findToken(kernel, token)
        if (!found?.isHeld || !opensFrom(found, remote_addr)) return reply.status(404).send('')
        const { id, username } = found.user
        if (userOnly) return { user: id }
        return {
          id: token,
          secret: found.secret,
          user: id,
          username,
          system_user: found.systemUser.id,
          system_user_name: found.systemUser.name,
          created_by: found.createdBy,
          date_created: formatDateTime(found.dateCreated, request.call.timeZone),
          type: found.target.family,
          ...found.kind.wire(found.target),
        }
      },
    })
  }
  registerSecrets(kernel)
  extendPublicSettings(kernel, () => ({
    DATABASE_PORTS: databasePorts(kernel.config),
    DESKTOP_PORTS: desktopPorts(kernel),
    // The port of the SSH entry: everybody who can reach it sees it anyway.
    SSH_PORT: kernel.config.sshPort,
  }))
  registerClientFiles(kernel)
  registerKubeconfig(kernel)
  registerSshConfig(kernel)
}

/** `remote_addr`: from where the client came that brought the token. */
const lookup = z.object({ token: z.string().max(128), remote_addr: z.string().max(64).optional() })

/** Reads secrets for components alone, and only for what the person is permitted now. */
function registerSecrets(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: `${CONNECTION_TOKENS}secret-info/detail/`,
    config: { access: ['component'], rootOrg: true, summary: 'Connection token: what a component connects with' },
    handler: async (request) => {
      const { token, remote_addr } = lookup.parse(request.body ?? {})
      const found = await findToken(kernel, token)
      if (!found) {
        await noteUnknown(kernel, request)
        throw refuse(request, 'The connection token is unknown or has expired')
      }
      const { user, systemUser, kind, target } = found
      if (!found.isHeld) throw refuse(request, 'The user of this connection token may no longer connect')
      if (!opensFrom(found, remote_addr)) throw refuse(request, 'This connection token does not work from there')
      if (!target.isActive) throw refuse(request, 'The asset of this connection token is not active')
      const question = { userId: user.id, systemUserId: systemUser.id }
      const answer = await mayConnect(kernel.db, { ...question, target })
      if (!answer.allowed) throw refuse(request, 'The permission of this connection token has ended')
      const owner = { kind: 'system_user', id: systemUser.id, name: systemUser.name, orgId: target.orgId } as const
      const reason = `connection token of ${user.name}(${user.username}) for ${target.name}`
      const secrets = await kernel.db.transaction(async (db) => {
        const open = await kernel.secrets.handOut(db, request.call, 'component', reason, [owner])
        const whose = { ...question, id: target.id, username: user.username }
        const found = await kind.secrets({ db }, whose, open)
        if (!found) throw refuse(request, 'The connection token is unknown or has expired')
        return found
      })
      const { asset = null, application = null, remote_app = null, gateway = null } = secrets.parts
      return {
        id: token,
        secret: found.secret,
        type: found.target.family,
        user,
        asset,
        remote_app,
        application,
        system_user: {
          id: systemUser.id,
          name: systemUser.name,
          ...secrets.systemUser,
          ad_domain: systemUser.ad_domain,
        },
        gateway,
        actions: answer.actions,
        expired_at: answer.expireAt,
      }
    },
  })
}

/** 400 in the shape that the contract has for these calls: a list with one text. */
function refuse({ call }: FastifyRequest, text: string): AppError {
  return new AppError(400, 'bad_request', text, { body: [translate(call.language, text)] })
}

const noteUnknown = ({ db }: Kernel, request: FastifyRequest) =>
  recordLogin(db, {
    username: '',
    type: loginTypeOf(request),
    ip: request.call.remoteAddress,
    userAgent: signInClientOf(request).userAgent,
    success: false,
    reason: 'connection_token_invalid',
  })
