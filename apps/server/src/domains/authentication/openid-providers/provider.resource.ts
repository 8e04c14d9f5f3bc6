import { openidProvider as definition } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { settingsOf } from '../../settings/index.ts'
import { peopleAmount } from '../people-sources/people-in-step.ts'
import { furtherRules } from '../people-sources/rules.ts'
import { ownAddress } from '../single-sign-on/openid/provider.ts'
import { openidSources } from '../single-sign-on/openid/sources.ts'
import { authenticationOpenidProvider as table } from '../single-sign-on/openid/tables.ts'
import { checkProvider } from './rules.ts'
import { registerOpenidTrials } from './trial.ts'

/** OpenID providers whose people sign in here, besides that of the settings. */
export default function mountOpenidProviders(kernel: Kernel): void {
  const rules = furtherRules(table, 'openid', 'There are {{max}} OpenID providers at most')
  mountResource(kernel, definition, {
    table,
    sealed: ['client_secret'],
    computed: [
      peopleAmount,
      {
        fields: ['callback_url', 'backchannel_logout_url', 'frontchannel_logout_url'],
        load: async (rows) => rows.map(({ id }) => addressesOf(kernel, id)),
      },
    ],
    rules: {
      ...rules,
      beforeWrite: [...rules.beforeWrite, (context) => checkProvider(settingsOf(kernel), context)],
    },
  })
  registerOpenidTrials(kernel)
}

function addressesOf(kernel: Kernel, id: string) {
  const { callback, backchannelLogout, frontchannelLogout } = openidSources.furtherPages(id)
  const settings = settingsOf(kernel)
  return {
    callback_url: ownAddress(settings, callback),
    backchannel_logout_url: ownAddress(settings, backchannelLogout),
    frontchannel_logout_url: ownAddress(settings, frontchannelLogout),
  }
}
