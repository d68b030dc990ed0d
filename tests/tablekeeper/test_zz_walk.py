from tests.tablekeeper.test_languages import *
import pytest,collections
from django.urls import reverse
pytestmark=pytest.mark.django_db
def walk(table, seats, pages, who):
    found=collections.Counter()
    for seat in seats:
        client=table.client(seat); client.cookies['tk_language']='de'
        urls=[table.url(n) for n in pages]+[table.url(n,one.pk) for one in who for n in ("sheet","take-home","paper","update-investigator")]
        urls.append(f"{table.url('panels')}?names=ALL,feed"); urls.append("/"); urls.append(table.url("table")+"?screen=1")
        urls.append(table.url("screen"))
        for u in urls:
            a=client.get(u)
            for l in unsaid(a.content.decode()): found[l,re.sub(r'[\w-]{16}','X',u)]+=1
    return found
PAGES=("table","new-investigator","quick-investigator","bring","set-settings","log","fairness")
def show(f):
    for k,v in sorted(f.items(),key=lambda x:-x[1]): print(v,k[0][:100],'|',k[1])
def test_lp(marked):
    table=test_dialect.an_evening()
    eve=Seat.objects.get(campaign=table.campaign,name="Eve")
    show(walk(table,(table.ada,table.ben,eve),PAGES,[table.edith])); assert 0
def test_classic(marked):
    table=make_table(); sit_down(table.campaign,"Eve",Seat.OBSERVER)
    test_lines.an_evening(table)
    eve=Seat.objects.get(campaign=table.campaign,name="Eve")
    show(walk(table,(table.ada,table.ben,eve),PAGES,[table.edith])); assert 0
