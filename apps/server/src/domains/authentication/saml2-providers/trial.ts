import { saml2Provider as definition } from '@sallyport/contract/resources/authentication/saml2-provider.ts'
import { z } from 'zod'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { registerTrial, trialForm } from '../people-sources/trial.ts'
import { type Idp, parseIdpMetadata, readIdpAt } from '../single-sign-on/saml2/idp-metadata.ts'

const takes = trialForm({
  metadata_url: z.string().max(1024).default(''),
  metadata_xml: z.string().max(definition.fields.metadata_xml.maxLength).default(''),
})

/** Reads the metadata that a form names. */
export function registerSaml2Trial(kernel: Kernel): void {
  registerTrial(kernel, {
    path: definition.path,
    call: 'test',
    summary: 'Test the metadata of a SAML2 provider',
    takes,
    run: async ({ metadata_url: url, metadata_xml: xml }, language) => {
      if (!url.trim() && !xml.trim())
        throw invalid({ metadata_url: 'Enter the address of the metadata, or the metadata itself' })
      const idp: Idp = url.trim() ? await readIdpAt(url.trim()) : parseIdpMetadata(xml.trim())
      return { msg: translate(language, 'The metadata of {{server}} can be read.', { server: idp.entityId }) }
    },
  })
}
