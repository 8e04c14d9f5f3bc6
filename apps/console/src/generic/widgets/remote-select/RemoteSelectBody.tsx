import { ApartmentOutlined } from '@ant-design/icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Select, Space } from 'antd'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { api, type ListPage, type Query, type Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import { asListPage } from '../../rows/paging.ts'
import { nameOfRow, useStoredRows } from '../../rows/stored-rows.ts'
import { REFERENCES } from '../../view/references.ts'
import { pickAssets } from './pick-assets.ts'

const PAGE = 10

interface Chosen {
  value: string
  label?: ReactNode
}
const TYPING_MS = 300
/**
 * So many chosen rows are shown at first, and so many more each time they are asked for: thousands
 * of tags at once would make a form slow.
 */
const SHOWN_FIRST = 100
const SHOWN_MORE = 500
/** More rows than this are no choice that a person has looked at. */
const MAX_AT_ONCE = 1000
/** Distance from the end of the list at which the next page is asked for. Pixels. */
const NEAR_END = 48

export interface RemoteSelectProps {
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

/**
 * A select that reads pages of a list as they are wanted; words for values already stored are read
 * by themselves (spec B7.31 B7.39 B9.07).
 */
export function RemoteSelectBody(props: RemoteSelectProps) {
  const { path, display, query, multiple, value, onChange, valueField = 'id', disabledValues = [] } = props
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const [room, setRoom] = useState(SHOWN_FIRST)
  const [choosingAll, setChoosingAll] = useState(false)
  const nameOf = (row: Row) => nameOfRow(display, row)

  const list = useInfiniteQuery({
    queryKey: keys.list(path, { ...query, search, picker: true }),
    queryFn: async ({ pageParam, signal }) =>
      asListPage(await api.get(path, { query: { ...query, search, offset: pageParam, limit: PAGE }, signal })),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.next ? pages.length * PAGE : undefined),
    enabled: open,
    staleTime: 10_000,
  })
  const rows = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data])

  const values = value === null || value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value]
  const shown = values.slice(0, room)
  // What was listed once keeps its name through other searches; what was chosen before is read by
  // itself, and is not read again for each tick.
  const [seen] = useState(() => new Map<string, Row>())
  for (const row of rows) seen.set(String(row[valueField]), row)
  const [chosenBefore] = useState(() => new Set<string>())
  for (const one of shown) if (!seen.has(one)) chosenBefore.add(one)
  const stored = useStoredRows(path, [...chosenBefore], valueField)
  const rowOf = (one: string) => seen.get(one) ?? stored.named.get(one)
  const label = (one: string) => {
    const row = rowOf(one)
    return row ? nameOf(row) : stored.waiting ? '…' : one
  }
  const browse = async () => {
    const ids = await pickAssets({ title: t('Choose assets'), chosen: values, taken: disabledValues })
    if (ids) onChange?.(ids)
  }
  // Suggestions are the first rows only: how many there are is not told.
  const found = path.includes('/suggestions/') ? 0 : (list.data?.pages.at(-1)?.count ?? 0)
  const chooseAll = async () => {
    setChoosingAll(true)
    try {
      const { results } = await api.get<ListPage>(path, { query: { ...query, search, offset: 0, limit: MAX_AT_ONCE } })
      for (const row of results) seen.set(String(row[valueField]), row)
      const free = results.map((row) => String(row[valueField])).filter((one) => !disabledValues.includes(one))
      onChange?.([...new Set([...values, ...free])])
    } catch {
      // The call has told why.
    } finally {
      setChoosingAll(false)
    }
  }
  const select = (
    <Select
      id={props.id}
      style={{ width: '100%' }}
      {...(multiple
        ? {
            mode: 'multiple' as const,
            maxTagCount: room,
            value: values.map((one) => ({ value: one, label: label(one) })),
          }
        : { value: values[0] === undefined ? undefined : { value: values[0], label: label(values[0]) } })}
      labelInValue
      onInputKeyDown={(event) => {
        // In the empty box it takes the last one away, which nobody sees while there are more than
        // are shown.
        if (event.key === 'Backspace' && typed === '' && values.length > room) event.stopPropagation()
      }}
      disabled={props.disabled ?? false}
      allowClear={props.clearable ?? true}
      placeholder={props.placeholder ?? t('Select')}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed, autoClearSearchValue: false }}
      loading={list.isFetching}
      notFoundContent={list.isFetching ? t('Loading') : list.isError ? t('Get failed') : t('No data')}
      options={rows.map((row) => ({
        value: String(row[valueField]),
        label: nameOf(row),
        disabled: disabledValues.includes(String(row[valueField])),
      }))}
      maxTagPlaceholder={(hidden) => (
        <button
          type="button"
          className="link"
          // The list stays closed.
          onMouseDown={(event) => event.stopPropagation()}
          onClick={() => setRoom(room + SHOWN_MORE)}
        >
          {t('{{count}} more', { count: hidden.length })}
        </button>
      )}
      popupRender={(menu) => (
        <>
          {menu}
          {multiple && found > 1 && found <= MAX_AT_ONCE && (
            <div className="select-all">
              <Button
                type="text"
                size="small"
                loading={choosingAll}
                // The list keeps the focus and stays open.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => void chooseAll()}
              >
                {t('Choose all {{count}}', { count: found })}
              </Button>
            </div>
          )}
        </>
      )}
      onOpenChange={(next) => {
        setOpen(next)
        if (!next) setTyped('')
      }}
      onPopupScroll={({ currentTarget }) => {
        if (
          currentTarget.scrollTop + currentTarget.clientHeight > currentTarget.scrollHeight - NEAR_END &&
          list.hasNextPage &&
          !list.isFetchingNextPage
        )
          void list.fetchNextPage()
      }}
      onChange={(chosen: Chosen | Chosen[] | null | undefined) => {
        const next =
          chosen === null || chosen === undefined
            ? []
            : Array.isArray(chosen)
              ? chosen.map((one) => one.value)
              : [chosen.value]
        onChange?.(multiple ? next : (next[0] ?? null))
        props.onRows?.(next.flatMap((one) => rowOf(one) ?? []))
      }}
    />
  )
  // Of assets there are too many to remember their names: they can be looked for in their tree as
  // well.
  if (!multiple || path !== REFERENCES.asset?.path) return select
  return (
    <Space.Compact block>
      {select}
      <Button
        icon={<ApartmentOutlined />}
        aria-label={t('Choose assets')}
        title={t('Choose assets')}
        disabled={props.disabled ?? false}
        onClick={() => void browse()}
      />
    </Space.Compact>
  )
}
