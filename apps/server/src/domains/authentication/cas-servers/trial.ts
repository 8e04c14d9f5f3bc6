import { casServer as definition } from '@sallyport/contract/resources/authentication/cas-server.ts'
import { z } from 'zod'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { readOver, registerTrial, trialForm } from '../people-sources/trial.ts'
import { ownCasAddress, redeemTicket, TicketRefused } from '../single-sign-on/cas/cas-server.ts'
import { casSources } from '../single-sign-on/cas/sources.ts'

const { version } = definition.fields
const takes = trialForm({
  server_url: z.string().min(1).max(1024),
  version: z.number().int().min(version.min).max(version.max).default(version.default),
})

/** Asks the server that a form names about a ticket that nobody has: it refuses it in the words of the protocol. */
export function registerCasTrial(kernel: Kernel): void {
  registerTrial(kernel, {
    path: definition.path,
    call: 'test',
    summary: 'Test a CAS server',
    takes,
    run: async (form, language) => {
      const settings = readOver(settingsOf(kernel), casSources.asSettings(form))
      const service = ownCasAddress(settings, casSources.firstPages.callback)
      await redeemTicket(settings, 'ST-0-sallyport-test', service).catch((error: unknown) => {
        if (!(error instanceof TicketRefused)) throw error
      })
      return { msg: translate(language, '{{server}} answers.', { server: new URL(form.server_url).origin }) }
    },
  })
}
