"""Which tables become cards on a narrow screen, and what their cells are labelled."""

from workspace.display.core.cards import label_cells

HEAD = (
    '<thead><tr><th scope="col">Name</th><th scope="col" class="num">Games <span class="tiny">in "all"</span></th>'
    '<th scope="col"><span class="visually-hidden">Acts</span></th></tr></thead>'
)


def table(rows: str, head: str = HEAD) -> str:
    return f"{head}<tbody>{rows}</tbody>"


def test_cells_learn_the_headings_of_their_columns():
    labelled = label_cells(table('<tr><th scope="row">A</th><td class="num">3</td><td>x</td></tr>' * 2))
    assert labelled.startswith(HEAD)
    assert labelled.count('<td class="num" data-label="Games in &#34;all&#34;">3</td>') == 2
    assert labelled.count('<th scope="row">A</th>') == 2
    assert labelled.count("<td>x</td>") == 2, "a heading that is not seen is no label"


def test_a_cell_over_several_columns_has_no_label_and_the_next_has_its_own():
    three = HEAD.replace("</tr>", '<th scope="col">Last</th></tr>')
    labelled = label_cells(table('<tr><td colspan="3">all</td><td>z</td></tr>', head=three))
    assert '<td colspan="3">all</td><td data-label="Last">z</td>' in labelled


def test_an_empty_cell_under_a_heading_gets_a_dash():
    labelled = label_cells(table('<tr><th scope="row">A</th><td class="num">\n  </td><td></td></tr>'))
    assert '<td class="num" data-label="Games in &#34;all&#34;">–</td><td></td>' in labelled


def test_tables_that_are_read_across_stay_as_they_are():
    row = "<tr><th>A</th><td>1</td><td>2</td></tr>"
    two = '<thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>'
    grouped = HEAD.replace('scope="col" class="num"', 'scope="colgroup" colspan="2"')
    for kept in (
        table(row, head=two),
        table(row, head=grouped),
        table(row, head=HEAD.replace("</thead>", "<tr><th>B</th></tr></thead>")),
        table(row.replace("<th>", '<th rowspan="2">')),
        table(row, head=""),
    ):
        assert label_cells(kept) == ""
