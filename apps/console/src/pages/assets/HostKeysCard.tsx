import { t } from '../../lib/i18n.ts'
import { ShownKeys } from './ShownKeys.tsx'

/** `owner` is the address of an asset or a gateway. */
export function HostKeysCard({ owner }: { owner: string }) {
  return (
    <section className="panel">
      <h2>{t('SSH host keys')}</h2>
      <div className="inside">
        <HostKeys owner={owner} />
      </div>
    </section>
  )
}

/** The SSH host keys that a machine has shown. */
export const HostKeys = ({ owner }: { owner: string }) => <ShownKeys path={`${owner}host-keys/`} />
