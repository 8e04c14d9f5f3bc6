/** The thread behind read-in-thread.ts: reads messages of SAML 2, one at a time. */
import { serveTasks } from '../../../../kernel/threads.ts'
import type { SamlTask } from './read-in-thread.ts'
import { readResponse } from './response.ts'
import { samlOf } from './saml-library.ts'
import { readPostedSignOut } from './sign-out-request.ts'

serveTasks<SamlTask>(({ read, sides, encoded }) =>
  read === 'response' ? readResponse(samlOf(sides), encoded) : readPostedSignOut(samlOf(sides), encoded),
)
