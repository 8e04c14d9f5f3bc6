import type { AccessExplanation } from '@sallyport/contract/resources/perms/explanation.ts'
import type { OwnExplanation } from '@sallyport/contract/resources/perms/own-explanation.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { explainAccess } from './explain-access.ts'
import { explainOwnAccess } from './own-explanation.ts'
import { readQuestion } from './question.ts'

/**
 * GET perms/explanations/: why this person may, or may not, work on this target as this system user
 * now; perms/users/explanation/: the same for the caller, as far as they may know it. Nothing is
 * opened, asked or stored.
 */
export function registerExplanations(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/perms/explanations/',
    config: {
      access: ['org_admin'],
      summary: 'Why a person may, or may not, work on a target',
      answers: {
        fields: plainFields({
          verdict: 'string',
          user: 'object',
          target: 'object',
          system_user: 'object',
          action: 'string',
          steps: 'list',
          permissions: 'list',
        }),
      },
    },
    handler: async ({ call, query }): Promise<AccessExplanation> =>
      explainAccess(kernel, await readQuestion(kernel.db, call, query), (english, values) =>
        translate(call.language, english, values),
      ),
  })
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/perms/users/explanation/',
    config: {
      access: ['authenticated'],
      summary: 'Why the caller may not work on a target, as far as they may know it',
      answers: {
        fields: plainFields({ verdict: 'string', reasons: 'list', wants_permission: 'boolean', application: 'object' }),
      },
    },
    handler: async ({ call, query }): Promise<OwnExplanation> =>
      explainOwnAccess(kernel, call, query, (english, values) => translate(call.language, english, values)),
  })
}
