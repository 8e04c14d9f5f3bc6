/** The Chinese texts of these pages, fetched only for people who read Chinese. */
export { default as antdLocale } from 'antd/es/locale/zh_CN.js'
export { default as catalogue } from '../locales/cn/terminal.json'
