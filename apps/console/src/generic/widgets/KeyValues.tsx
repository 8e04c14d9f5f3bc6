import { PlusIcon, XIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { Unusable } from './unusable.ts'

interface Pair {
  /** Only to tell rows apart: keys may be empty or alike while they are typed. */
  id: number
  key: string
  value: string
}

/**
 * Rows of key and value; the value of the field is an object of texts. A key twice, or a value
 * without a key, is refused.
 */
export function KeyValues({ value, onChange, disabled, id }: WidgetProps<Record<string, string> | Unusable | null>) {
  const [pairs, setPairs] = useState<readonly Pair[]>(() =>
    Object.entries(value instanceof Unusable ? {} : (value ?? {})).map(([key, one], at) => ({
      id: at,
      key,
      value: String(one),
    })),
  )
  const write = (next: readonly Pair[]) => {
    setPairs(next)
    onChange?.(asObject(next))
  }
  const change = (pair: Pair, part: Partial<Pair>) =>
    write(pairs.map((one) => (one.id === pair.id ? { ...one, ...part } : one)))
  const off = disabled ?? false
  return (
    <fieldset id={id} className="bare">
      {pairs.map((pair) => (
        <div className="widget-row" key={pair.id}>
          <Input
            aria-label={t('Key')}
            value={pair.key}
            disabled={off}
            aria-invalid={fault(pair, pairs) !== undefined || undefined}
            onChange={(key) => change(pair, { key })}
          />
          <Input
            aria-label={t('Value')}
            value={pair.value}
            disabled={off}
            onChange={(text) => change(pair, { value: text })}
          />
          <Button
            type="text"
            icon={<XIcon />}
            aria-label={t('Remove')}
            disabled={off}
            onClick={() => write(pairs.filter(({ id: other }) => other !== pair.id))}
          />
        </div>
      ))}
      <Button
        size="small"
        icon={<PlusIcon />}
        disabled={off}
        onClick={() =>
          setPairs([...pairs, { id: Math.max(-1, ...pairs.map((pair) => pair.id)) + 1, key: '', value: '' }])
        }
      >
        {t('Add')}
      </Button>
    </fieldset>
  )
}

/** The fault of a row. An empty row has none. */
function fault({ id, key, value }: Pair, pairs: readonly Pair[]): string | undefined {
  const name = key.trim()
  if (name === '') return value === '' ? undefined : t('Every value needs a key')
  return pairs.some((other) => other.id !== id && other.key.trim() === name)
    ? t('The key {{key}} appears twice', { key: name })
    : undefined
}

function asObject(pairs: readonly Pair[]): Record<string, string> | Unusable {
  for (const pair of pairs) {
    const reason = fault(pair, pairs)
    if (reason) return new Unusable(reason)
  }
  return Object.fromEntries(pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]))
}
