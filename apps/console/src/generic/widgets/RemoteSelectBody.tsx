import { ApartmentOutlined } from '@ant-design/icons'
import { displayOf } from '@sallyport/contract/define.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Button, Select, Space } from 'antd'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { api, type ListPage, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { pickAssets } from '../asset-picker.tsx'
import { REFERENCES } from '../references.ts'
import type { RemoteSelectProps } from './RemoteSelect.tsx'

const PAGE = 10

interface Chosen {
  value: string
  label?: ReactNode
}
const TYPING_MS = 300
/** Of more chosen rows than this only the number is shown: thousands of tags would make a form slow, and their ids an address too long. */
const MAX_NAMED = 100
/** Distance from the end of the list at which the next page is asked for. Pixels. */
const NEAR_END = 48

/** A select that reads pages of a list as they are wanted; words for values already stored come by one call (spec B7.31 B9.07). */
export function RemoteSelectBody(props: RemoteSelectProps) {
  const { path, display, query, multiple, value, onChange, valueField = 'id', disabledValues = [] } = props
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const nameOf = (row: Row) => (typeof display === 'function' ? display(row) : displayOf({ display }, row)) || String(row.name ?? row.id)

  const list = useInfiniteQuery({
    queryKey: keys.list(path, { ...query, search, picker: true }),
    queryFn: ({ pageParam, signal }) => api.get<ListPage>(path, { query: { ...query, search, offset: pageParam, limit: PAGE }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.next ? pages.length * PAGE : undefined),
    enabled: open,
    staleTime: 10_000,
  })
  const rows = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data])

  const values = value === null || value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value]
  const listed = new Set(rows.map((row) => String(row[valueField])))
  const missing = values
    .slice(0, MAX_NAMED)
    .filter((one) => !listed.has(one))
    .toSorted()
  const stored = useQuery({
    queryKey: keys.list(path, { ids: missing.join(), valueField }),
    queryFn: async ({ signal }) => {
      const filter = valueField === 'id' ? { ids: missing.join() } : { [valueField]: missing.join() }
      return (await api.get<ListPage>(path, { query: { ...filter, limit: missing.length, offset: 0 }, signal })).results
    },
    enabled: missing.length > 0,
    staleTime: 60_000,
    placeholderData: (previous) => previous,
  })
  const known = new Map([...(stored.data ?? []), ...rows].map((row) => [String(row[valueField]), row]))
  const label = (one: string) => {
    const row = known.get(one)
    return row ? nameOf(row) : stored.isFetching ? '…' : one
  }
  const browse = async () => {
    const ids = await pickAssets({ title: t('Choose assets'), chosen: values, taken: disabledValues })
    if (ids) onChange?.(ids)
  }
  const select = (
    <Select
      id={props.id}
      style={{ width: '100%' }}
      {...(multiple
        ? { mode: 'multiple' as const, maxTagCount: MAX_NAMED, value: values.map((one) => ({ value: one, label: label(one) })) }
        : { value: values[0] === undefined ? undefined : { value: values[0], label: label(values[0]) } })}
      labelInValue
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
        const next = chosen === null || chosen === undefined ? [] : Array.isArray(chosen) ? chosen.map((one) => one.value) : [chosen.value]
        onChange?.(multiple ? next : (next[0] ?? null))
        props.onRows?.(next.flatMap((one) => known.get(one) ?? []))
      }}
    />
  )
  // Of assets there are too many to remember their names: they can be looked for in their tree as well.
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
