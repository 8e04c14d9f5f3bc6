import { casServer as definition } from '@sallyport/contract/resources/authentication/cas-server.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { settingsOf } from '../../settings/index.ts'
import { peopleAmount } from '../people-sources/people-in-step.ts'
import { faultsAsSettings, furtherRules } from '../people-sources/rules.ts'
import { ownCasAddress } from '../single-sign-on/cas/cas-server.ts'
import { casSources } from '../single-sign-on/cas/sources.ts'
import { authenticationCasServer as table } from '../single-sign-on/cas/tables.ts'
import { registerCasTrial } from './trial.ts'

type Writing = WriteContext<typeof definition, typeof table>

/** CAS servers whose people sign in here, besides that of the settings. */
export default function mountCasServers(kernel: Kernel): void {
  const rules = furtherRules(table, 'cas', 'There are {{max}} CAS servers at most')
  mountResource(kernel, definition, {
    table,
    computed: [
      peopleAmount,
      {
        fields: ['service_url'],
        load: async (rows) =>
          rows.map(({ id }) => ({
            service_url: ownCasAddress(settingsOf(kernel), casSources.furtherPages(id).callback),
          })),
      },
    ],
    rules: { ...rules, beforeWrite: [...rules.beforeWrite, (context) => checkServer(kernel, context)] },
  })
  registerCasTrial(kernel)
}

/** Throws 400 by field for what the settings of the first server would be refused for as well. */
function checkServer(kernel: Kernel, { call, draft }: Writing): void {
  const faults = faultsAsSettings(casSources, settingsOf(kernel), call, draft)
  if (Object.keys(faults).length) throw invalid(faults as Parameters<typeof invalid>[0])
}
