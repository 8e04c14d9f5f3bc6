/** Names of PostgreSQL's encodings (§23.3) that have another among the web's. */
export const ENCODINGS: Readonly<Record<string, string>> = {
  EUC_CN: 'gbk',
  EUC_JP: 'euc-jp',
  EUC_KR: 'euc-kr',
  GB18030: 'gb18030',
  GBK: 'gbk',
  BIG5: 'big5',
  SJIS: 'shift_jis',
  UHC: 'euc-kr',
  LATIN1: 'latin1',
  LATIN2: 'iso-8859-2',
  LATIN5: 'windows-1254',
  KOI8R: 'koi8-r',
  WIN1250: 'windows-1250',
  WIN1251: 'windows-1251',
  WIN1252: 'windows-1252',
}
