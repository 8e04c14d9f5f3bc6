import { Select, Space } from 'antd'
import { NetworkIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { NoOptions, OptionsFailed } from '../../../design/LoadFailed.tsx'
import type { Query, Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { Named } from '../../cells/Named.tsx'
import { nameOfRow, useStoredRows } from '../../rows/stored-rows.ts'
import type { InputState } from '../../view/form-view.ts'
import { REFERENCES } from '../../view/references.ts'
import { inputState } from '../SelectsBody.tsx'
import { MoreTags } from './MoreTags.tsx'
import { pickAssets } from './pick-assets.ts'
import { MAX_AT_ONCE, useKnownRows, useOfferedRows } from './use-offered-rows.ts'

interface Chosen {
  value: string
  label?: ReactNode
  title?: string
}
/**
 * So many chosen rows are shown at first, and so many more each time they are asked for: thousands
 * of tags at once would make a form slow.
 */
const SHOWN_FIRST = 100
const SHOWN_MORE = 500
/** Distance from the end of the list at which the next page is asked for. Pixels. */
const NEAR_END = 48

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
}

const listOf = (value: RemoteSelectProps['value']): string[] =>
  value === null || value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value]

const valuesOf = (chosen: Chosen | Chosen[] | null | undefined): string[] =>
  (chosen === null || chosen === undefined ? [] : Array.isArray(chosen) ? chosen : [chosen]).map(({ value }) => value)

/**
 * A select that reads pages of a list as they are wanted; words for values already stored are read
 * by themselves (B7.31 B7.39 B9.07).
 */
export function RemoteSelectBody(props: RemoteSelectProps) {
  const { path, display, multiple, onChange, valueField = 'id', disabledValues = [] } = props
  const values = listOf(props.value)
  const [room, setRoom] = useState(SHOWN_FIRST)
  const offered = useOfferedRows(path, props.query)
  const { list, rows, found, typed, setTyped, setOpen, readMore, readAll } = offered
  const known = useKnownRows(valueField)
  known.note(rows)
  const stored = useStoredRows(path, known.toRead(values.slice(0, room)), valueField)
  const rowOf = (one: string) => known.seen.get(one) ?? stored.named.get(one)
  const named = (row: Row) => <Named text={nameOfRow(display, row)} />
  const tag = (one: string) => {
    const row = rowOf(one)
    const label = row ? named(row) : stored.waiting ? <span className="tag-ghost">…</span> : one
    return { value: one, label, title: row ? nameOfRow(display, row) : '' }
  }
  const chooseAll = async () => {
    const all = await readAll()
    known.note(all)
    const free = all.map((row) => String(row[valueField])).filter((one) => !disabledValues.includes(one))
    onChange?.([...new Set([...values, ...free])])
  }
  return (
    <WithAssetTree {...props}>
      <Select
        {...inputState(props)}
        id={props.id}
        style={{ width: '100%' }}
        {...(multiple
          ? { mode: 'multiple' as const, maxTagCount: room, value: values.map(tag) }
          : { value: values[0] === undefined ? undefined : tag(values[0]) })}
        labelInValue
        onInputKeyDown={(event) => {
          // In the empty box it takes the last one away, which nobody sees while there are more
          // than are shown.
          if (event.key === 'Backspace' && typed === '' && values.length > room) event.stopPropagation()
        }}
        disabled={props.disabled ?? false}
        allowClear={props.clearable ?? true}
        placeholder={props.placeholder ?? t('Select')}
        showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed, autoClearSearchValue: false }}
        loading={list.isFetching}
        notFoundContent={<NoOptions isLoading={list.isFetching} error={list.error} onRetry={offered.readAgain} />}
        options={rows.map((row) => ({
          value: String(row[valueField]),
          label: named(row),
          // The words that are read out, in place of the value.
          'aria-label': nameOfRow(display, row),
          title: nameOfRow(display, row),
          disabled: disabledValues.includes(String(row[valueField])),
        }))}
        maxTagPlaceholder={(hidden) => <MoreTags count={hidden.length} onMore={() => setRoom(room + SHOWN_MORE)} />}
        popupRender={(menu) => (
          <>
            {menu}
            {rows.length > 0 && list.isError && !list.isFetching && (
              <OptionsFailed error={list.error} onRetry={offered.readAgain} />
            )}
            {multiple && found > 1 && found <= MAX_AT_ONCE && <ChooseAll count={found} onChoose={chooseAll} />}
          </>
        )}
        onOpenChange={setOpen}
        onPopupScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          if (scrollTop + clientHeight > scrollHeight - NEAR_END) readMore()
        }}
        onChange={(chosen: Chosen | Chosen[] | null | undefined) => {
          const next = valuesOf(chosen)
          onChange?.(multiple ? next : (next[0] ?? null))
          props.onRows?.(next.flatMap((one) => rowOf(one) ?? []))
        }}
      />
    </WithAssetTree>
  )
}

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
    <div className="select-all">
      <Button
        type="text"
        size="small"
        loading={busy}
        // The list keeps the focus and stays open.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => void choose()}
      >
        {t('Choose all {{count}}', { count })}
      </Button>
    </div>
  )
}

/**
 * There are too many assets to remember their names: they can be looked for in their tree as
 * well.
 */
function WithAssetTree({ children, ...props }: RemoteSelectProps & { children: ReactNode }) {
  if (!props.multiple || props.path !== REFERENCES.asset?.path) return children
  const browse = async () => {
    const taken = props.disabledValues ?? []
    const ids = await pickAssets({ title: t('Choose assets'), chosen: listOf(props.value), taken })
    if (ids) props.onChange?.(ids)
  }
  return (
    <Space.Compact block>
      {children}
      <Button
        icon={<NetworkIcon />}
        aria-label={t('Choose assets')}
        title={t('Choose assets')}
        disabled={props.disabled ?? false}
        onClick={() => void browse()}
      />
    </Space.Compact>
  )
}
