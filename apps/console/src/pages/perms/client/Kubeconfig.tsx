import { DownloadIcon } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import { ClientLines } from './ClientLines.tsx'
import { kubeconfigName, kubectlLine } from './client-lines.ts'

interface KubeconfigProps {
  /** Id of the cluster. */
  name: string
  /** Content of the file. */
  text: string
  /** Whole minutes in which it must be used for the first time. */
  minutes: number
  onAgain: () => void
}

/** The file with which `kubectl` enters a cluster, and the line that uses it. */
export function Kubeconfig({ name, text, minutes, onAgain }: KubeconfigProps) {
  const address = useMemo(() => URL.createObjectURL(new Blob([text], { type: 'application/yaml' })), [text])
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  if (minutes <= 0)
    return (
      <p role="status">
        {t('A file not used by now has expired.')} <Button onClick={onAgain}>{t('Get a new one')}</Button>
      </p>
    )
  return (
    <>
      <p>
        <a className="button primary" href={address} download={kubeconfigName(name)}>
          <DownloadIcon aria-hidden="true" /> {t('Save the file')}
        </a>
      </p>
      <ClientLines
        lines={[{ client: 'kubectl', line: kubectlLine(name) }]}
        minutes={minutes}
        warning={t(
          'Anyone with this file works in the cluster as you, so do not share it. It stays valid while you use it.',
        )}
      />
    </>
  )
}
