import { radiusServer as definition } from '@sallyport/contract/resources/authentication/radius-server.ts'
import { z } from 'zod'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { secretForTrial } from '../people-sources/kept-secret.ts'
import { registerTrial, trialForm } from '../people-sources/trial.ts'
import { askRadius } from '../radius/ask-radius.ts'
import { RADIUS_SECRET } from '../radius/sources.ts'

const { port } = definition.fields
const takes = trialForm({
  host: z.string().trim().min(1).max(1024),
  port: z.number().int().min(port.min).max(port.max).default(port.default),
  secret: z.string().max(1024).nullish(),
  username: z.string().trim().max(128).default(''),
  password: z.string().max(1024).default(''),
})
/** For a server that may be away; a sign-in has more patience. */
const PAUSE_MS = 1500

/** Asks the server that a form names: about a sign-in, or about a name that nobody has. */
export function registerRadiusTrial(kernel: Kernel): void {
  registerTrial(kernel, {
    path: definition.path,
    call: 'test',
    summary: 'Test a RADIUS server',
    takes,
    run: async ({ id, host, port, secret, username, password }, language) => {
      const known = await secretForTrial(kernel, RADIUS_SECRET, { id, host, port, secret }, language)
      const server = { host, port, secret: known }
      // Any answer will do: only a server with our secret can give one.
      const { answer } = await askRadius(
        server,
        username || 'sallyport-test',
        password || crypto.randomUUID(),
        PAUSE_MS,
      )
      const values = { server: `${host}:${port}`, username }
      if (!username) return { msg: translate(language, '{{server}} answers, with the same secret.', values) }
      if (answer !== 'accept') throw new AppError(400, 'provider_test', 'The server refuses this sign-in')
      return { msg: translate(language, '{{username}} can sign in', values) }
    },
  })
}
