import { type Application, application } from '@sallyport/contract/resources/applications/application.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { DestinationsAlert, type MovedWords } from '../assets/DestinationsAlert.tsx'
import { ShownKeys } from '../assets/ShownKeys.tsx'

const APPLICATION_MOVED: MovedWords = {
  title: msg('This application was moved'),
  meaning: msg(
    'Stored passwords are not sent to {{destinations}}, so nobody can connect, until a system administrator confirms the address.',
  ),
  whenSure: msg('Only when you know that this server is the same, or who moved it and why: {{destinations}}'),
}

/** Beside the facts of an application that is a server itself: whether it was moved, and the keys that it has shown. */
export function ServerSide({ row }: DetailProps<Application>) {
  return (
    <>
      <DestinationsAlert owner={`${application.path}${row.id}/`} words={APPLICATION_MOVED} />
      <section className="panel">
        <h2>{t('TLS keys of the server')}</h2>
        <div className="inside">
          <ShownKeys path="/api/v1/assets/server-keys/" query={{ target: row.id }} />
        </div>
      </section>
    </>
  )
}
