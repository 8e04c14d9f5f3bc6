import { application } from '@sallyport/contract/resources/applications/application.ts'
import { z } from 'zod'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { applicationInOrg, loadApplicationTarget } from '../applications/index.ts'
import { DatabaseError, databaseLogins } from './rotation/database-account.ts'

const account = z.object({ system_user: z.guid() })

/** Logs in to a database with the stored account, so that it is known to work before anybody gets access. */
export function registerTryLogin(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: `${application.path}:id/try-login/`,
    config: {
      access: ['org_admin'],
      summary: 'Log in to a database with a stored system user',
      answers: 'nothing',
      takes: account,
    },
    handler: async ({ params, body, call }, reply) => {
      const { id } = await applicationInOrg(kernel.db, call, (params as { id: string }).id)
      const { system_user: systemUserId } = account.parse(body)
      const open = kernel.secrets.open('test', `login to the application ${id}`)
      const target = await loadApplicationTarget(kernel, { applicationId: id, systemUserId }, open)
      if (!target)
        throw invalid({
          system_user: translate(call.language, 'Invalid pk "{{id}}" - object does not exist.', { id: systemUserId }),
        })
      if (target.application.category !== 'db') throw refused('bad_request', 'Only databases are tested here')
      const { username, password } = target.credentials
      const login = await databaseLogins.value(kernel, target, { username, password }).catch(refuse)
      login.close()
      return reply.status(204).send()
    },
  })
}

/** Throws 400 at what the server refused; what it said itself is beside it. */
function refuse(error: unknown): never {
  if (!(error instanceof DatabaseError)) throw error
  if (error.kind === 'login') throw invalid({ password: 'The server refused the login' }, error)
  if (error.kind === 'unsupported') throw refused('bad_request', 'Only databases are tested here')
  const reason = error.message.split('\n')[0]?.slice(0, 200)
  throw refused('target_unreachable', 'The database cannot be reached: {{reason}}', { reason })
}
