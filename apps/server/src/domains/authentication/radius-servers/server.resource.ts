import { radiusServer as definition } from '@sallyport/contract/resources/authentication/radius-server.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { secretFault } from '../people-sources/kept-secret.ts'
import { peopleAmount } from '../people-sources/people-in-step.ts'
import { furtherRules } from '../people-sources/rules.ts'
import { RADIUS_SECRET } from '../radius/sources.ts'
import { authenticationRadiusServer as table } from '../radius/tables.ts'
import { registerRadiusTrial } from './trial.ts'

type Writing = WriteContext<typeof definition, typeof table>

/** RADIUS servers whose people sign in here, besides that of the settings. */
export default function mountRadiusServers(kernel: Kernel): void {
  const rules = furtherRules(table, 'radius', 'There are {{max}} RADIUS servers at most')
  mountResource(kernel, definition, {
    table,
    sealed: ['secret'],
    computed: [peopleAmount],
    rules: { ...rules, beforeWrite: [...rules.beforeWrite, checkServer] },
  })
  registerRadiusTrial(kernel)
}

/** Throws 400: without its secret nobody could tell the server from another one. */
async function checkServer({ call, db, draft, row }: Writing): Promise<void> {
  const say = (text: string) => translate(call.language, text)
  if (!row && !draft.secret) throw invalid({ secret: say('Enter the secret of the server') })
  const again = await secretFault(RADIUS_SECRET, { db, draft, row })
  if (again) throw invalid({ secret: say(again) })
}
