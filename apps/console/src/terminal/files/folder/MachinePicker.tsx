import { type GrantedAsset, grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import { MonitorIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Select } from '../../../design/boxes/Select.tsx'
import { api, type ListPage } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { rememberMachine } from './machine-names.ts'
import { machinePath } from './paths.ts'

const SEARCH_DELAY_MS = 300
/** Shown at a time; more are found by typing. */
const MAX_SHOWN = 50

export interface MachinePickerProps {
  /** The asset that the path names, with its host name. */
  value: string | undefined
  name: string | undefined
  onPath: (path: string) => void
}

/**
 * Goes to one of the machines that are granted: found by name, address or note, wherever it stands
 * in the tree.
 */
export function MachinePicker({ value, name, onPath }: MachinePickerProps) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [found, setFound] = useState<GrantedAsset[]>()
  const [failure, setFailure] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks again
  useEffect(() => {
    if (!open) return
    const stop = new AbortController()
    setFailure(undefined)
    const timer = setTimeout(
      () =>
        void api
          .get<ListPage<GrantedAsset>>(grantedAsset.path, {
            query: { search: text.trim(), limit: MAX_SHOWN, offset: 0 },
            signal: stop.signal,
            quiet: true,
          })
          .then(({ results }) => setFound(results.filter(servesFiles)))
          .catch((error: unknown) => {
            if (stop.signal.aborted) return
            setFound(undefined)
            setFailure(error)
          }),
      text ? SEARCH_DELAY_MS : 0,
    )
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [open, text, attempt])
  const optionOf = (id: string, hostname: string, ip?: string) => ({
    value: id,
    label: (
      <span className="fm-machine-row">
        {hostname} <small>{ip}</small>
      </span>
    ),
    text: hostname,
  })

  return (
    <Select
      className="fm-machine"
      size="small"
      aria-label={t('Machine')}
      placeholder={t('Choose a machine')}
      icon={<MonitorIcon />}
      value={value}
      options={(found ?? []).map(({ id, hostname, ip }) => optionOf(id, hostname, ip))}
      optionOf={(id) => optionOf(id, name ?? id)}
      source={{
        onSearch: setText,
        onOpenChange: setOpen,
        isLoading: !found && !failure,
        error: failure,
        onRetry: () => setAttempt(attempt + 1),
      }}
      none={t('No machine is granted to you')}
      onChange={(chosen) => {
        const asset = found?.find((one) => one.id === chosen)
        if (!asset) return
        rememberMachine(asset.id, asset.hostname)
        onPath(machinePath(asset.id))
      }}
    />
  )
}

const servesFiles = ({ is_active, protocols }: GrantedAsset) =>
  is_active && protocols.some((entry) => entry.startsWith('ssh/'))
