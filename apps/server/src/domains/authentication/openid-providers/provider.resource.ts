import { openidProvider as definition } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { settingsOf } from '../../settings/index.ts'
import { keepPeopleInStep, peopleAmount, shutPeopleOut } from '../directories/people-in-step.ts'
import { ownAddress } from '../single-sign-on/openid/provider.ts'
import { furtherPages } from '../single-sign-on/openid/sources.ts'
import { authenticationOpenidProvider as table } from '../single-sign-on/openid/tables.ts'
import { checkProvider, refuseTooMany } from './rules.ts'

/** OpenID providers whose people sign in here, besides that of the settings. */
export default function mountOpenidProviders(kernel: Kernel): void {
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
      // Its people come in.
      beforeWrite: [
        ({ call }) => refuseLimited(call),
        refuseTooMany,
        (context) => checkProvider(settingsOf(kernel), context),
      ],
      afterWrite: [keepPeopleInStep('openid')],
      beforeDelete: [({ call }) => refuseLimited(call)],
      afterDelete: [shutPeopleOut],
    },
  })
}

function addressesOf(kernel: Kernel, id: string) {
  const { callback, backchannelLogout, frontchannelLogout } = furtherPages(id)
  const settings = settingsOf(kernel)
  return {
    callback_url: ownAddress(settings, callback),
    backchannel_logout_url: ownAddress(settings, backchannelLogout),
    frontchannel_logout_url: ownAddress(settings, frontchannelLogout),
  }
}
