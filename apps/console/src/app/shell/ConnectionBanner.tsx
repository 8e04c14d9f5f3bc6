import { Banner } from '../../design/Banner.tsx'
import { t } from '../../lib/i18n.ts'
import { useConnection } from './connection.ts'

/**
 * Says that the server cannot be reached, and for a moment that it can again; it comes and goes by
 * itself.
 */
export function ConnectionBanner() {
  const connection = useConnection()
  if (connection === 'connected') return null
  const lost = connection === 'lost'
  return (
    <Banner
      role={lost ? 'alert' : 'status'}
      tone={lost ? 'warning' : 'good'}
      title={lost ? t('The server cannot be reached. Trying again by itself…') : t('The server can be reached again')}
    />
  )
}
