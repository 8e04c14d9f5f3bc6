import { TERMINAL_TYPES } from '@sallyport/contract/resources/terminal/terminal.ts'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import { settingsOf } from '../settings/index.ts'
import { createServiceAccount } from '../users/index.ts'
import { ownTerminal } from './evidence/own-terminal.ts'
import { loadHostKey } from './host-key.ts'
import { handOutCommandStorage, handOutReplayStorage } from './storages/handed-out.ts'
import { terminalCommandStorage, terminalReplayStorage, terminalTerminal } from './tables.ts'

const bodySchema = z.object({
  name: z.string().trim().min(1).max(1024),
  type: z.enum(Object.keys(TERMINAL_TYPES) as [keyof typeof TERMINAL_TYPES]).default('koko'),
  comment: z.string().max(4096).default(''),
})
const MAX_NAME = 128

/**
 * How a component on another machine joins: it registers with the bootstrap token and then reads
 * its settings (docs/rules/terminal.md#gateway_boot).
 */
export function registerComponents(kernel: Kernel): void {
  registerRegistration(kernel)
  registerConfig(kernel)
}

function registerRegistration(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: '/api/v1/terminal/terminal-registrations/',
    config: {
      access: ['bootstrap_token'],
      rootOrg: true,
      withoutCsrf: true,
      summary: 'Terminal: register with the bootstrap token',
      answerStatus: 201,
    },
    handler: async (request, reply) => {
      const { call } = request
      const body = bodySchema.parse(request.body ?? {})
      const long = body.name.length > MAX_NAME
      const name = long ? `${body.name.slice(0, 32)}...${body.name.slice(-32)}` : body.name
      const answer = await kernel.db.transaction(async (db) => {
        const { access_key: key, ...account } = await createServiceAccount(kernel, db, {
          name,
          language: call.language,
        })
        const [commands] = await db
          .select()
          .from(terminalCommandStorage)
          .where(eq(terminalCommandStorage.is_default, true))
        const [replays] = await db
          .select()
          .from(terminalReplayStorage)
          .where(eq(terminalReplayStorage.is_default, true))
        const [row] = await db
          .insert(terminalTerminal)
          .values({
            name,
            type: body.type,
            comment: long ? body.name : body.comment,
            remote_addr: call.remoteAddress,
            user_id: account.id,
            is_accepted: true,
            command_storage: commands?.name ?? 'default',
            replay_storage: replays?.name ?? 'default',
          })
          .returning()
        const access_key = { ...key, is_active: true, date_created: formatDateTime(new Date(), call.timeZone) }
        return {
          id: row?.id,
          name,
          type: body.type,
          comment: row?.comment,
          service_account: { ...account, access_key },
          remote_addr: call.remoteAddress,
        }
      })
      return reply.status(201).send(answer)
    },
  })
}

/** GET terminals/config/: the settings that a component must run with. */
function registerConfig(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/terminal/terminals/config/',
    config: { access: ['component'], rootOrg: true, summary: 'Terminal: settings of the calling component' },
    handler: async ({ call }) => {
      const own = await ownTerminal(kernel.db, call)
      const settings = settingsOf(kernel)
      return {
        TERMINAL_PASSWORD_AUTH: settings.get('TERMINAL_PASSWORD_AUTH'),
        TERMINAL_PUBLIC_KEY_AUTH: settings.get('TERMINAL_PUBLIC_KEY_AUTH'),
        TERMINAL_HEARTBEAT_INTERVAL: settings.get('TERMINAL_HEARTBEAT_INTERVAL'),
        TERMINAL_ASSET_LIST_SORT_BY: settings.get('TERMINAL_ASSET_LIST_SORT_BY'),
        TERMINAL_ASSET_LIST_PAGE_SIZE: String(settings.get('TERMINAL_ASSET_LIST_PAGE_SIZE')),
        TERMINAL_SESSION_KEEP_DURATION: settings.get('TERMINAL_SESSION_KEEP_DURATION'),
        TERMINAL_TELNET_REGEX: settings.get('TERMINAL_TELNET_REGEX'),
        TERMINAL_RDP_ADDR: '',
        TERMINAL_HOST_KEY: await loadHostKey(kernel),
        TERMINAL_HEADER_TITLE: settings.get('LOGIN_TITLE'),
        TERMINAL_COMMAND_STORAGE: await handOutCommandStorage(kernel, call, own.command_storage),
        TERMINAL_REPLAY_STORAGE: await handOutReplayStorage(kernel, call, own.replay_storage),
        SECURITY_MAX_IDLE_TIME: settings.get('SECURITY_MAX_IDLE_TIME'),
        SECURITY_SESSION_SHARE: settings.get('SECURITY_SESSION_SHARE'),
      }
    },
  })
}
