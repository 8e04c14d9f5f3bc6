import { Button } from '../../design/Button.tsx'
import { Notice } from '../../design/Notice.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { askNow, type Connection, useConnection } from './connection.ts'

const WORDS: Readonly<Record<Exclude<Connection, 'connected'>, string>> = {
  server: msg('The server cannot be reached. This page may be out of date; it tries again by itself.'),
  database: msg('The database does not answer. This page may be out of date; it tries again by itself.'),
  'server back': msg('The server can be reached again.'),
  'database back': msg('The database answers again.'),
}

/**
 * Says that the server or its database is away, and for a moment that it is back; it comes and goes
 * by itself, and stays in sight meanwhile.
 */
export function ConnectionBanner() {
  const connection = useConnection()
  if (connection === 'connected') return null
  const isBack = connection.endsWith('back')
  return (
    <div className="connection-banner">
      <Notice
        role={isBack ? 'status' : 'alert'}
        tone={isBack ? 'good' : 'warning'}
        title={t(WORDS[connection])}
        action={
          !isBack && (
            <Button size="small" onClick={askNow}>
              {t('Try now')}
            </Button>
          )
        }
      />
    </div>
  )
}
