import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { ConfigProvider } from 'antd'
import chinese from 'antd/es/locale/zh_CN.js'
import { afterEach, expect, test, vi } from 'vitest'
import { DateRangePickerBody } from './DateRangePickerBody.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('on a Chinese page the calendar has Chinese weekdays and months', async () => {
  render(
    <ConfigProvider locale={chinese}>
      <DateRangePickerBody value={[new Date(2026, 9, 22), new Date(2026, 10, 21)]} onChange={() => {}} />
    </ConfigProvider>,
  )
  await userEvent.click(screen.getAllByRole('textbox')[0] as HTMLElement)
  expect((await screen.findAllByText(/^10月$/)).length).toBeGreaterThan(0)
  expect(screen.getAllByText('日').length).toBeGreaterThan(0)
  expect(screen.queryByText('Su')).toBeNull()
})
