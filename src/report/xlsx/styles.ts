/** The looks of a cell, by their place in the list below. */
export const styles = { header: 1, text: 2, time: 3, date: 4, longNumber: 5, number: 6 } as const;

/** Numbers have a look for every count of decimals: `12.50` is shown as `12.50`. */
export const decimalsMax = 30;

const timeFormat = 200;
const dateFormat = 201;
const numberFormat = 210;

/** `styles.xml`. A time says in every cell that it is UTC; a text stays a text also when it is edited. */
export function stylesPart(): string {
  const decimals = Array.from({ length: decimalsMax + 1 }, (_, count) => count);
  const numberFormats = decimals.map(
    (count) =>
      `<numFmt numFmtId="${numberFormat + count}" formatCode="0${count === 0 ? "" : `.${"0".repeat(count)}`}"/>`,
  );
  const cell = (format: number, more = "/>") =>
    `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${more}`;
  const cells = [
    `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>`,
    `<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
    cell(textFormat),
    cell(timeFormat),
    cell(dateFormat),
    cell(textFormat, ` applyAlignment="1"><alignment horizontal="right"/></xf>`),
    ...decimals.map((count) => cell(numberFormat + count)),
  ];
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="${numberFormats.length + 2}"><numFmt numFmtId="${timeFormat}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000&quot; UTC&quot;"/><numFmt numFmtId="${dateFormat}" formatCode="yyyy\\-mm\\-dd"/>${numberFormats.join("")}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join("")}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

const textFormat = 49;
