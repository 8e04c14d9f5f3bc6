import { saml2Provider as definition } from '@sallyport/contract/resources/authentication/saml2-provider.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { settingsOf } from '../../settings/index.ts'
import { peopleAmount } from '../people-sources/people-in-step.ts'
import { furtherRules } from '../people-sources/rules.ts'
import { addressesOf } from '../single-sign-on/saml2/provider.ts'
import { saml2Sources } from '../single-sign-on/saml2/sources.ts'
import { authenticationSaml2Provider as table } from '../single-sign-on/saml2/tables.ts'
import { checkProvider } from './rules.ts'
import { registerSaml2Trial } from './trial.ts'

/** SAML2 providers whose people sign in here, besides that of the settings. */
export default function mountSaml2Providers(kernel: Kernel): void {
  const rules = furtherRules(table, 'saml2', 'There are {{max}} SAML2 providers at most')
  mountResource(kernel, definition, {
    table,
    sealed: ['sp_key'],
    computed: [
      peopleAmount,
      {
        fields: ['entity_id', 'callback_url', 'logout_url', 'sp_metadata_url'],
        load: async (rows) => rows.map(({ id }) => ownAddresses(kernel, id)),
      },
    ],
    rules: { ...rules, beforeWrite: [...rules.beforeWrite, (context) => checkProvider(kernel, context)] },
  })
  registerSaml2Trial(kernel)
}

function ownAddresses(kernel: Kernel, id: string) {
  const pages = saml2Sources.furtherPages(id)
  const { entityId, callback, signOut, metadata } = addressesOf(settingsOf(kernel), pages)
  return { entity_id: entityId, callback_url: callback, logout_url: signOut, sp_metadata_url: metadata }
}
