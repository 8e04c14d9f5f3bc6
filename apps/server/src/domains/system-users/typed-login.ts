import { createDecipheriv } from 'node:crypto'
import { WIRE } from '@sallyport/contract/constants.ts'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { callerOf } from '../../kernel/access/call.ts'
import { invalid, notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SYSTEM_USERS } from './find-system-user.ts'
import { seesSystemUser } from './seen-by.ts'
import { isUsername } from './system-user-rules.ts'
import { assetsSystemUser } from './tables.ts'
import { keepTemporaryAuth } from './temporary-auth.ts'

const login = z.object({
  instance_id: z.guid(),
  username: z.string().max(128).default(''),
  password: z.string().max(4096).default(''),
  protocol: z.string().max(16).nullish(),
})

/** Takes a login that a person types for one target (docs/rules/web-terminal.md#temp-auth). */
export function registerTypedLogin(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: `${SYSTEM_USERS}/:id/temp-auth/`,
    config: {
      access: ['authenticated'],
      summary: 'Keep a typed login for one target for a few minutes',
      answerStatus: 201,
      takes: login,
    },
    handler: async (request, reply) => {
      const { id } = request.params as { id: string }
      const body = login.parse(request.body)
      // Permission to use the system user on the target is checked when connecting; here a login is
      // only stored for its owner. The target is not looked up, so nobody learns whether it exists.
      const [systemUser] = (await seesSystemUser(kernel.db, request.call, id))
        ? await kernel.db.select().from(assetsSystemUser).where(eq(assetsSystemUser.id, id))
        : []
      if (!systemUser) throw notFound()
      if (body.username && !isUsername(body.username, body.protocol || systemUser.protocol))
        throw invalid({ username: 'Special characters are not allowed' })
      const password = decryptTyped(body.password, request.cookies[WIRE.csrfCookie])
      const { instance_id: target, username } = body
      await kernel.db.transaction(async (db) => {
        const whose = { userId: callerOf(request.call).id, systemUserId: id, target }
        await keepTemporaryAuth({ ...kernel, db }, whose, { username, password })
        await kernel.audit.record(db, request.call, [
          {
            action: 'create',
            resourceType: 'Typed login',
            resource: systemUser.name,
            orgId: systemUser.org_id,
            object: { type: 'system_user', id },
            changes: [
              { field: 'instance_id', label: 'Target', after: target },
              ...(username ? [{ field: 'username', after: username }] : []),
              { field: 'password', is_secret: true },
            ],
          },
        ])
      })
      return reply.status(201).send({ instance_id: body.instance_id, username: body.username })
    },
  })
}

/**
 * Decrypts a password that the page encrypted with its CSRF token (AES in ECB mode, zero padding,
 * base64; docs/rules/web-terminal.md#temp-auth); anything that can't be decrypted is taken as it
 * is. This protects against nobody who sees the cookie: TLS protects the transport.
 */
function decryptTyped(text: string, csrfToken: string | undefined): string {
  if (!csrfToken || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return text
  const bytes = Buffer.from(text, 'base64')
  if (!bytes.length || bytes.length % 16) return text
  const token = Buffer.from(csrfToken.slice(0, 32))
  const key = Buffer.alloc(token.length <= 16 ? 16 : 32)
  token.copy(key)
  try {
    const decipher = createDecipheriv(key.length === 16 ? 'aes-128-ecb' : 'aes-256-ecb', key, null).setAutoPadding(
      false,
    )
    const plain = Buffer.concat([decipher.update(bytes), decipher.final()])
    return new TextDecoder('utf-8', { fatal: true }).decode(plain).replace(/\0+$/, '')
  } catch {
    return text
  }
}
