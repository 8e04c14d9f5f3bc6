import { CLUSTER_ANSWERS } from '@sallyport/contract/socket/cluster.ts'
import { useEffect, useState } from 'react'
import { isMatch } from '../../design/boxes/options.ts'
import { Select } from '../../design/boxes/Select.tsx'
import { t } from '../../lib/i18n.ts'
import type { Ask } from '../pane/questions.ts'
import { whyNotAsked } from '../pane/why-not.ts'

/** As Kubernetes has names of namespaces (RFC 1123). */
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/
/** Means all of them: no namespace has this name. */
const ALL = '*'

interface NamespaceSelectProps {
  ask: Ask
  isConnected: boolean
  /** Empty: all of them. */
  value: string
  onChange: (namespace: string) => void
}

/** One namespace or all. A person who may not list them types the name of one. */
export function NamespaceSelect({ ask, isConnected, value, onChange }: NamespaceSelectProps) {
  const [names, setNames] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  useEffect(() => {
    if (!isConnected) return
    ask({ about: 'namespaces' }, CLUSTER_ANSWERS.namespaces).then(
      (answer) => setNames(answer.names),
      // The list of them may be refused while one of them is open to the account.
      () => setNames([]),
    )
  }, [ask, isConnected])
  const wanted = typed.trim()
  const offered = new Set([...names, ...(value ? [value] : []), ...(NAME.test(wanted) ? [wanted] : [])])
  const options = [
    { value: ALL, label: t('All namespaces') },
    ...[...offered].sort().map((one) => ({ value: one, label: one })),
  ]
  return (
    <Select
      size="small"
      className="kb-namespace"
      aria-label={t('Namespace')}
      whyDisabled={whyNotAsked(isConnected)}
      value={value || ALL}
      source={{ onSearch: setTyped }}
      options={options.filter(({ label }) => isMatch(label, wanted))}
      optionOf={(one) => options.find((option) => option.value === one)}
      onChange={(one) => onChange(one === ALL ? '' : one)}
    />
  )
}
