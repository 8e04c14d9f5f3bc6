import { NetworkIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { useChipRoom } from '../../../design/boxes/box-parts.tsx'
import { MultiSelect } from '../../../design/boxes/MultiSelect.tsx'
import type { Option } from '../../../design/boxes/options.ts'
import { Select } from '../../../design/boxes/Select.tsx'
import { Named } from '../../../design/Named.tsx'
import type { Query, Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { nameOfRow, useStoredRows } from '../../rows/stored-rows.ts'
import type { InputState } from '../../view/form-view.ts'
import { REFERENCES } from '../../view/references.ts'
import { inputState } from '../Selects.tsx'
import { pickAssets } from './pick-assets.ts'
import styles from './remote-select.module.css'
import { MAX_AT_ONCE, useKnownRows, useOfferedRows } from './use-offered-rows.ts'

export interface RemoteSelectProps extends InputState {
  /** List address. */
  path: string
  /** `{name}({username})`, or a function of the row. */
  display: string | ((row: Row) => string)
  query?: Query | undefined
  multiple?: boolean
  /** Ids (or names, with `valueField`). */
  value?: string | string[] | null | undefined
  onChange?: ((value: string | string[] | null) => void) | undefined
  /** Told the rows too. */
  onRows?: (rows: Row[]) => void
  id?: string | undefined
  disabled?: boolean | undefined
  clearable?: boolean
  placeholder?: string | undefined
  /** Field of a row that is the value; `id` when absent. */
  valueField?: string | undefined
  /** Values that cannot be chosen. */
  disabledValues?: readonly string[]
  /** With several: values that stay chosen. */
  keptValues?: readonly string[] | undefined
}

const listOf = (value: RemoteSelectProps['value']): string[] =>
  value === null || value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value]

/**
 * A select that reads pages of a list as they are wanted; words for values already stored are read
 * by themselves (B7.31 B7.39 B9.07).
 */
export function RemoteSelect(props: RemoteSelectProps) {
  const { path, display, multiple, onChange, onRows, valueField = 'id', disabledValues = [] } = props
  const values = listOf(props.value)
  const room = useChipRoom()
  const offered = useOfferedRows(path, props.query)
  const { list, rows, found } = offered
  const known = useKnownRows(valueField)
  known.note(rows)
  const stored = useStoredRows(path, known.toRead(values.slice(0, room.size)), valueField)
  const rowOf = (one: string) => known.seen.get(one) ?? stored.named.get(one)
  const optionOf = (one: string): Option => {
    const row = rowOf(one)
    if (row) return optionFor(one, nameOfRow(display, row), disabledValues)
    return stored.waiting
      ? { value: one, label: <span className="tag-ghost">…</span>, text: '…' }
      : { value: one, label: one }
  }
  const tellRows = (next: readonly string[]) => onRows?.(next.flatMap((one) => rowOf(one) ?? []))
  const chooseAll = async () => {
    const all = await offered.readAll()
    known.note(all)
    const free = all.map((row) => String(row[valueField])).filter((one) => !disabledValues.includes(one))
    onChange?.([...new Set([...values, ...free])])
  }
  const common = {
    ...inputState(props),
    id: props.id,
    options: rows.map((row) => optionFor(String(row[valueField]), nameOfRow(display, row), disabledValues)),
    optionOf,
    source: {
      onSearch: offered.setTyped,
      onOpenChange: offered.setOpen,
      onEnd: offered.readMore,
      isLoading: list.isFetching,
      error: list.error,
      onRetry: offered.readAgain,
    },
    none: t('There is nothing to choose from yet. Create one first.'),
    isClearable: props.clearable ?? true,
    disabled: props.disabled,
    placeholder: props.placeholder ?? t('Select'),
  }
  if (!multiple)
    return (
      <Select
        {...common}
        value={values[0]}
        onChange={(next: string | null) => {
          onChange?.(next)
          tellRows(next === null ? [] : [next])
        }}
      />
    )
  return (
    <WithAssetTree {...props}>
      <MultiSelect
        {...common}
        value={values}
        room={room}
        kept={props.keptValues ?? []}
        keepsTyped
        footer={found > 1 && found <= MAX_AT_ONCE && <ChooseAll count={found} onChoose={chooseAll} />}
        onChange={(next) => {
          onChange?.(next)
          tellRows(next)
        }}
      />
    </WithAssetTree>
  )
}

const optionFor = (value: string, words: string, disabledValues: readonly string[]): Option => ({
  value,
  label: <Named text={words} />,
  text: words,
  disabled: disabledValues.includes(value),
})

/** Below the list: takes everything that was found. */
function ChooseAll({ count, onChoose }: { count: number; onChoose: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  const choose = async () => {
    setBusy(true)
    try {
      await onChoose()
    } catch {
      // The call has shown why.
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button type="text" size="small" loading={busy} onClick={() => void choose()}>
      {t('Choose all {{count}}', { count })}
    </Button>
  )
}

/**
 * There are too many assets to remember their names: they can be looked for in their tree as
 * well.
 */
function WithAssetTree({ children, ...props }: RemoteSelectProps & { children: ReactNode }) {
  if (props.path !== REFERENCES.asset?.path) return children
  const browse = async () => {
    const taken = props.disabledValues ?? []
    const ids = await pickAssets({ title: t('Choose assets'), chosen: listOf(props.value), taken })
    if (ids) props.onChange?.(ids)
  }
  return (
    <div className={styles.withTree}>
      {children}
      <Button
        icon={<NetworkIcon />}
        aria-label={t('Choose assets')}
        title={t('Choose assets')}
        disabled={props.disabled ?? false}
        onClick={() => void browse()}
      />
    </div>
  )
}
